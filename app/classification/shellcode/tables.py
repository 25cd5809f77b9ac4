"""Programs and what they do with their arguments: data, sorted, every line with a case.

What no table knows is unknown, and so is an option that its line does not list: a table may lack a
program or an option, never vouch for a wrong one. What a program's first words alone say (readers,
test runners, git) stands in commands.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Operands = Literal["read", "first", "written", "copied", "moved", "linked", "named_by_url"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """How a program is told what to write: its options, and what its operands are."""

    flags: frozenset[str] = frozenset()  # options without a value; a letter or a word
    valued: frozenset[str] = frozenset()  # options with one
    outputs: frozenset[str] = frozenset()  # those of them that name what is written
    into: frozenset[str] = frozenset()  # those of them that name the folder written into
    switches: frozenset[str] = frozenset()  # without one of these it only prints
    quiet: frozenset[str] = frozenset()  # with one of these it only prints
    operands: Operands = "written"
    skip: int = 0  # operands in front that are no paths
    deep: bool = False  # what lies below a folder is written, too


def _program(
    operands: Operands = "written",
    *,
    flags: str = "",
    valued: str = "",
    outputs: str = "",
    into: str = "",
    switches: str = "",
    quiet: str = "",
    skip: int = 0,
    deep: bool = False,
) -> Program:
    return Program(
        operands=operands,
        flags=_options(f"{flags} {switches} {quiet}"),
        valued=_options(f"{valued} {outputs} {into}"),
        outputs=_options(outputs),
        into=_options(into),
        switches=_options(switches),
        quiet=_options(quiet),
        skip=skip,
        deep=deep,
    )


def _options(text: str) -> frozenset[str]:
    """Letters stand together, words of more than one letter behind `--`."""
    words = text.split()
    letters = "".join(word for word in words if not word.startswith("--"))
    return frozenset((*letters, *(word[2:] for word in words if word.startswith("--"))))


_PACKERS = _program(
    flags="fkvqn123456789 --keep --force --verbose --quiet --best --fast",
    quiet="clt --stdout --list --test",
)

PROGRAMS: Final[Mapping[str, Program]] = {
    "bunzip2": _PACKERS,
    "bzip2": _PACKERS,
    "chgrp": _program(flags="RfvchHLP --recursive --verbose", skip=1, deep=True),
    "chmod": _program(flags="Rfvcrwx --recursive --verbose --changes --quiet", skip=1, deep=True),
    "chown": _program(flags="RfvchHLP --recursive --verbose", skip=1, deep=True),
    "cp": _program(
        "copied",
        flags="rRapfnviuLPdHxTsl --recursive --archive --force --no-clobber --verbose --update"
        " --no-target-directory --preserve --dereference --no-dereference",
        valued="S --suffix",
        into="t --target-directory",
        deep=True,
    ),
    "curl": _program(
        "named_by_url",
        flags="sSLfkIivgGN0146#OJ --silent --show-error --location --fail --insecure --head"
        " --include --verbose --get --compressed --globoff --no-buffer --remote-name"
        " --fail-with-body --progress-bar --no-progress-meter --http1.1 --http2 --ipv4 --ipv6",
        valued="HAemuxbwrX --header --user-agent --referer --max-time --user --proxy --cookie"
        " --write-out --range --request --connect-timeout --retry --retry-delay --url "
        " --retry-max-time --max-redirs --resolve --cacert --unix-socket --limit-rate",
        outputs="oDc --output --dump-header --cookie-jar",
        into="--output-dir",
    ),
    "gunzip": _PACKERS,
    "gzip": _PACKERS,
    "install": _program(
        "copied",
        flags="dDvCpcbsT --verbose --compare --directory",
        valued="mogS --mode --owner --group",
        into="t --target-directory",
        deep=True,
    ),
    "ln": _program(
        "linked",
        flags="sfnvirLPT --symbolic --force --no-dereference --verbose --relative",
        valued="S",
        into="t --target-directory",
        deep=True,
    ),
    "mkdir": _program(flags="pv --parents --verbose", valued="m --mode"),
    "mkfifo": _program(valued="m --mode"),
    "mv": _program(
        "moved",
        flags="fnviuT --force --no-clobber --verbose --update --no-target-directory",
        valued="S --suffix",
        into="t --target-directory",
        deep=True,
    ),
    "rm": _program(
        flags="rRfvdiI --force --recursive --verbose --dir --interactive --one-file-system"
        " --no-preserve-root --preserve-root",
        deep=True,
    ),
    "rmdir": _program(flags="pv --parents --verbose --ignore-fail-on-non-empty"),
    "rsync": _program(
        "copied",
        flags="avzrlptgoDhPunRcKHAXSWxi --archive --verbose --compress --recursive --delete"
        " --progress --stats --dry-run --update --checksum --links --human-readable --delete-after"
        " --delete-excluded --ignore-existing --partial --info --quiet --relative",
        valued="--exclude --include --exclude-from --filter --max-size --bwlimit --chmod",
        deep=True,
    ),
    "shred": _program(
        flags="fuvz --force --verbose --zero --remove", valued="ns --iterations --size"
    ),
    "sort": _program(
        "read",
        flags="bdfghiMnRrVcCmsuz --reverse --unique --numeric-sort --human-numeric-sort --stable"
        " --version-sort --ignore-case --zero-terminated",
        valued="kSt --key --field-separator --buffer-size --parallel",
        outputs="o --output",
    ),
    "tee": _program(flags="aip --append --ignore-interrupts"),
    "touch": _program(
        flags="acmfh --no-create --no-dereference", valued="drt --date --reference --time"
    ),
    "tree": _program(
        "read",
        flags="adfiLlpshugDFqNQrtcUvSnCAxJX --dirsfirst --noreport --gitignore --prune --du",
        valued="LPIH --charset --filelimit --matchdirs",
        outputs="o --output",
    ),
    "truncate": _program(flags="co --no-create --io-blocks", valued="sr --size --reference"),
    "unlink": _program(),
    "unxz": _PACKERS,
    "wget": _program(
        "named_by_url",
        flags="qcNvSx4n --quiet --continue --timestamping --no-verbose --no-check-certificate"
        " --show-progress --spider --server-response",
        valued="TtU --timeout --tries --user-agent --header --waitretry",
        outputs="O --output-document",
        into="P --directory-prefix",
    ),
    "xz": _PACKERS,
    "zip": _program(
        "first",
        flags="rqjyuv9gm0123456789X --recurse-paths --quiet --junk-paths",
        valued="x --exclude i --include",
    ),
    "zstd": _PACKERS,
}


# The ending a packer gives what it packs.
PACKED: Final[Mapping[str, str]] = {"bzip2": ".bz2", "gzip": ".gz", "xz": ".xz", "zstd": ".zst"}
# Those of them that put no text into a file.
UNFILLED: Final = frozenset({"chgrp", "chmod", "chown", "mkdir", "rm", "rmdir", "shred", "touch"})


# Programs that rewrite source files in their own style: what has to be said for it ("" nothing),
# and the options that take a value.
@dataclass(frozen=True, slots=True, kw_only=True)
class Formatter:
    """A program that rewrites what it is given, below folders, too."""

    switches: frozenset[str] = frozenset()  # without one of these it only shows
    quiet: frozenset[str] = frozenset()  # with one of these it only shows
    valued: frozenset[str] = frozenset()


def _formatter(switches: str = "", quiet: str = "", valued: str = "") -> Formatter:
    return Formatter(
        switches=frozenset(switches.split()),
        quiet=frozenset(quiet.split()),
        valued=frozenset(valued.split()),
    )


FORMATTERS: Final[Mapping[str, Formatter]] = {
    "autoflake": _formatter("-i --in-place", "--check -c --check-diff"),
    "autopep8": _formatter("-i --in-place", "-d --diff", "--max-line-length --select --ignore"),
    "biome check": _formatter("--write --apply --fix --apply-unsafe"),
    "biome format": _formatter("--write --fix"),
    "biome lint": _formatter("--write --apply --fix --apply-unsafe"),
    "black": _formatter(
        "", "--check --diff --version --help", "-l --line-length -t --target-version"
    ),
    "cargo fmt": _formatter("", "--check"),
    "clang-format": _formatter("-i", "-n --dry-run"),
    "dart format": _formatter("", "--output=none --set-exit-if-changed"),
    "eslint": _formatter("--fix", "", "--ext -c --config --max-warnings --format -f"),
    "go fmt": _formatter("", "-n"),
    "gofmt": _formatter("-w", "", "-r"),
    "goimports": _formatter("-w", "", "-local"),
    "isort": _formatter("", "--check --check-only -c --diff", "--profile -l --line-length"),
    "prettier": _formatter("--write -w", "", "--config --parser --ignore-path --log-level"),
    "rubocop": _formatter("-a -A --auto-correct --autocorrect --autocorrect-all", "", "--only -c"),
    "ruff check": _formatter("--fix --fix-only --add-noqa", "--diff", "--select --ignore --config"),
    "ruff format": _formatter("", "--check --diff", "--line-length --config"),
    "rustfmt": _formatter("", "--check", "--edition --config"),
    "shfmt": _formatter("-w", "", "-i -ln"),
    "terraform fmt": _formatter("", "-check"),
    "yapf": _formatter("-i --in-place", "-d --diff", "--style"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """A program that only starts another one: what stands between the two."""

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    skip: int = 0  # operands in front of the command


def _wrapper(flags: str = "", valued: str = "", skip: int = 0) -> Wrapper:
    return Wrapper(flags=_options(flags), valued=_options(valued), skip=skip)


WRAPPERS: Final[Mapping[str, Wrapper]] = {
    "builtin": _wrapper(),
    "caffeinate": _wrapper("dimsu", "tw"),
    "chronic": _wrapper("ve"),
    "command": _wrapper("p"),
    "coproc": _wrapper(),
    "doas": _wrapper("n", "u"),
    "exec": _wrapper("cl", "a"),
    "ionice": _wrapper("t", "cn"),
    "nice": _wrapper("0123456789", "n --adjustment"),
    "nocorrect": _wrapper(),
    "noglob": _wrapper(),
    "nohup": _wrapper(),
    "setsid": _wrapper("fw --fork --wait"),
    "stdbuf": _wrapper("", "ioe --input --output --error"),
    "sudo": _wrapper("EnHkSb --preserve-env --non-interactive", "ugC --user --group"),
    "time": _wrapper("pv", "fo --format"),
    "timeout": _wrapper(
        "v --foreground --preserve-status --verbose", "ks --kill-after --signal", 1
    ),
    "xvfb-run": _wrapper("a --auto-servernum", "s --server-args"),
}

# The same with a subcommand, and the options they may have there.
RUNNERS: Final[Mapping[str, Wrapper]] = {
    "bundle exec": _wrapper(),
    "bunx": _wrapper("--bun"),
    "hatch run": _wrapper(),
    "npm exec": _wrapper("y -- --yes --no"),
    "npx": _wrapper("yq --yes --no --no-install --quiet"),
    "pdm run": _wrapper(),
    "pipenv run": _wrapper(),
    "pnpm dlx": _wrapper(),
    "pnpm exec": _wrapper(),
    "poetry run": _wrapper(),
    "rye run": _wrapper(),
    "uv run": _wrapper(
        "q --frozen --locked --no-sync --quiet --all-extras --offline", "--extra --group"
    ),
    "uvx": _wrapper(),
    "yarn exec": _wrapper(),
}

# Programs that run text, and the short options that hand them the text.
INTERPRETERS: Final[Mapping[str, str]] = {
    "ash": "c",
    "bash": "c",
    "bun": "ep",
    "dash": "c",
    "deno": "",
    "fish": "c",
    "julia": "eE",
    "ksh": "c",
    "lua": "e",
    "mysql": "e",
    "node": "ep",
    "nodejs": "ep",
    "osascript": "e",
    "perl": "eE",
    "php": "rB",
    "psql": "c",
    "pwsh": "c",
    "pypy": "c",
    "python": "c",
    "Rscript": "e",
    "ruby": "e",
    "sh": "c",
    "sqlite": "",
    "tclsh": "",
    "ts-node": "ep",
    "tsx": "ep",
    "zsh": "c",
}
SHELLS: Final = frozenset({"ash", "bash", "dash", "ksh", "sh", "zsh"})
MAKERS: Final = frozenset({"gmake", "just", "make", "ninja"})  # run what a file says, or `-`
EDITORS: Final = frozenset({"ed", "emacs", "ex", "nvim", "red", "vi", "view", "vim"})
EVAL_WORDS: Final = frozenset({"--eval", "--print", "eval", "--command", "-Command", "--exec"})
# Options of interpreters that take the next word.
INTERPRETED: Final = frozenset({"-W", "-X", "-I", "-r", "-o", "-O", "--rcfile", "--init-file"})

# Files that set up a shell and do no more; the folders of an environment are not looked at.
SOURCED: Final = re.compile(
    r"(?:.*/)?\.?(?:venv|env)[\w.-]*/bin/activate|(?:.*/)?bin/activate"
    r"|(?:\x01|.*)/(?:\.(?:bashrc|bash_profile|profile|zshrc|zshenv|zprofile)|nvm\.sh|conda\.sh"
    r"|\.?cargo/env)|/etc/profile"
)

# Words of the shell that change nothing a verdict looks at.
BUILTINS: Final = frozenset(
    {
        ":", "[", "bg", "bind", "break", "continue", "dirs", "disown", "exit", "false", "fg",
        "getopts", "history", "jobs", "let", "logout", "return", "shift", "test", "times", "true",
        "type", "ulimit", "umask", "unalias", "wait",
    }
)  # fmt: skip

# Variables by which a program runs or loads something else; a name with `*` is the start of many.
BENDING: Final = (
    "BASH_ENV", "BASH_FUNC*", "BROWSER", "CARGO_*", "CC", "CDPATH", "CLASSPATH", "CURL_HOME", "CXX",
    "DYLD_*", "EDITOR", "ENV", "FCEDIT", "FPATH", "GCONV_PATH", "GIT_*", "GOFLAGS", "GREP_OPTIONS",
    "HOME", "IFS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "KUBECONFIG", "LD_*", "LESSCLOSE",
    "LESSOPEN", "MAKEFLAGS", "MANPAGER", "MAVEN_OPTS", "NODE_OPTIONS", "NODE_PATH", "NPM_CONFIG_*",
    "PAGER", "PATH", "PERL5DB", "PERL5LIB", "PERL5OPT", "PIP_*", "PROMPT_COMMAND", "PS0", "PS1",
    "PS4", "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTHONBREAKPOINT", "PYTHONHOME", "PYTHONINSPECT",
    "PYTHONSTARTUP", "RIPGREP_CONFIG_PATH", "RSYNC_RSH", "RUBYLIB", "RUBYOPT", "RUSTC*",
    "RUSTFLAGS", "SHELLOPTS", "TAR_OPTIONS", "VISUAL", "WGETRC", "XDG_CONFIG_*", "npm_config_*",
)  # fmt: skip
# Values of them that are harmless: what is added to PATH stands in programs.py.
HARMLESS: Final[Mapping[str, re.Pattern[str]]] = {
    "CARGO_INCREMENTAL": re.compile(r"[01]"),
    "CARGO_TERM_COLOR": re.compile(r"\w+"),
    "EDITOR": re.compile(r"true|cat|:"),
    "GIT_EDITOR": re.compile(r"true|cat|:"),
    "GIT_PAGER": re.compile(r"|cat"),
    "GIT_SEQUENCE_EDITOR": re.compile(r"true|:"),
    "GIT_TERMINAL_PROMPT": re.compile(r"[01]"),
    "HOME": re.compile(r"/root|/home/\w+|/Users/\w+"),
    "NODE_OPTIONS": re.compile(
        r"(?:--(?:max[-_]old[-_]space[-_]size=\d+|experimental-vm-modules|no-warnings) ?)+"
    ),
    "PAGER": re.compile(r"|cat"),
    "PIP_DISABLE_PIP_VERSION_CHECK": re.compile(r"\w+"),
    "PYTEST_ADDOPTS": re.compile(r"(?:-[qvxs]+ ?|--color=\w+ ?|--tb=\w+ ?|-p no:\w+ ?)*"),
    "VISUAL": re.compile(r"true|cat|:"),
}
# git's settings that run nothing and move nothing.
SETTINGS: Final = re.compile(
    r"(?:color\.\w+|core\.quote[pP]ath|advice\.\w+|user\.(?:name|email)|commit\.gpg[sS]ign|log\.\w+)=[^!]*"
    r"|core\.pager=(?:cat)?"
)
