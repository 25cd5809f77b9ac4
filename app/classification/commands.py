"""Tables of commands and their effects: data, a line each, every line with a case in tests/cases.

A rule holds where a simple command, its words joined by blanks, begins with `starts` and nowhere
holds `never`. What no rule knows is unknown: a table may lack a program, never vouch for a wrong
one. Programs that run what their arguments say (less, man, env, xargs, ...) are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.domain.calls import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of the table: how a command begins, what it must not hold, what it then does."""

    starts: re.Pattern[str]
    never: re.Pattern[str] | None
    effect: Effect


def _rule(effect: Effect, starts: str, never: str = "") -> Rule:
    return Rule(
        starts=re.compile(rf"(?:{starts})(?= |$)"),
        never=re.compile(rf" (?:{never})") if never else None,
        effect=effect,
    )


_UPDATES = r"-u(?= |$)|--update|--snapshot-update|--inline-snapshot|--fix|--write|--ci=false"
_VERSIONED = (
    "python|python3|pip|pip3|node|npm|npx|pnpm|yarn|bun|deno|tsc|go|cargo|rustc|java|javac|mvn|gradle"
    "|ruby|gem|bundle|php|composer|dotnet|git|gh|docker|make|cmake|gcc|clang|uv|poetry|ruff|mypy"
)

# What makes a test runner write what its tests expect.
UPDATES = re.compile(r" (?:-u(?= |$)|--?update|--snapshot-update|--inline-snapshot)")

RULES: tuple[Rule, ...] = (
    # What only looks. A program that can also write stands below with the options that do.
    _rule(
        "read",
        "ls|ll|cat|head|tail|wc|nl|cut|tr|grep|egrep|fgrep|zgrep|diff|cmp|comm|stat|du|df|pwd|echo"
        "|printf|which|type|whoami|id|groups|uname|arch|nproc|free|uptime|printenv|ps|pgrep|lsof"
        "|basename|dirname|realpath|readlink|test|'\\['|true|false|:|sleep|seq|od|hexdump|strings|rev"
        "|yes|tac|paste|join|fold|fmt|expand|column|jq|md5sum|sha1sum|sha256sum|sha512sum|cksum|exit"
        "|command -v",
    ),
    _rule("read", "find", "-exec|-ok|-delete|-fprint|-fls"),
    _rule("read", "fd|fdfind", "-x|-X|--exec"),
    _rule("read", "rg|ag|ack", "--pre|--pager|--hostname-bin"),
    _rule("read", "sort", r"-\w*o|--o|--compress|-T|--temp"),
    _rule("read", r"uniq(?: -\S+)*(?: [^- ]\S*)?$"),
    _rule("read", "date", "-s|--set"),
    _rule("read", "tree", "-o|--output"),
    _rule("read", "file", "-C|--compile"),
    _rule("read", "yq", r"-\w*i|--in|-s|--split"),
    _rule("read", r"hostname$|env$|locale$|jobs$"),
    _rule("read", r"sed -n '?[0-9,$; ]*[0-9$]p'?", r"-\w*i|--in|-\w*f|--file|-\w*e|--exp"),
    _rule("read", r"awk (?:-F ?\S+ )?'\{ ?print [$0-9, NF]+\}'", r"-\w*[fiv]|--"),
    _rule("read", rf"(?:{_VERSIONED}) (?:--version|-V|-v|version)$"),
    _rule("read", r"(?:pip|pip3|uv pip|python3? -m pip) (?:list|show|freeze|check)", "-o|--output"),
    _rule("read", "(?:npm|pnpm|yarn) (?:ls|list|view|info|outdated|why)"),
    _rule("read", "go (?:list|doc)|go env", "-w|-u|-toolexec|-exec"),
    _rule("read", "gh (?:pr|issue|run|release|repo|workflow) (?:view|list|status|diff|checks)"),
    _rule("read", "docker (?:ps|images|logs|inspect|version|info)|docker compose (?:ps|logs)"),
    _rule("read", "kubectl (?:get|describe|logs|top|version)"),
    _rule("read", "systemctl (?:status|is-active|is-enabled|list-units)"),
    _rule("read", "gh auth status|git --version|cargo --version"),
    _rule("read", "gh api", "-X|--method|-f|-F|--field|--raw-field|--input"),
    _rule("read", "base64", r"-\w*o|--o"),  # that of macOS takes a file to write
    _rule("read", r"xxd(?: -[a-qs-z]\S*| \d+)*(?: [^- ]\S*)?$"),
    _rule("read", r"[\w.-]+(?: [a-z][\w-]*){0,2} --help$|[\w.-]+ --version$"),
    # What runs tests, or checks the project in the same way. Updating snapshots writes tests.
    _rule("test", "pytest|py.test", rf"{_UPDATES}|--basetemp|--junit|--result-log"),
    _rule(
        "test",
        r"(?:(?:uv|poetry|pdm|hatch|pipenv|rye) run )?(?:python3?(?:\.\d+)? -m )?"
        "(?:pytest|unittest)",
        rf"{_UPDATES}|--basetemp|--junit|--with|--result-log",
    ),
    _rule("test", r"\.?venv/bin/(?:pytest|python3? -m (?:pytest|unittest))", _UPDATES),
    _rule("test", r"python3? (?:manage\.py|runtests\.py) test|python3? runtests\.py", _UPDATES),
    _rule("test", "tox|nox", f"{_UPDATES}|--notest|--workdir"),
    _rule(
        "test",
        r"(?:npm|pnpm|yarn|bun) (?:run )?(?:test|t)(?::(?!fix|update|write)[\w-]+)*",
        _UPDATES,
    ),
    _rule(
        "test",
        "(?:npx |pnpm exec |yarn )?(?:jest|vitest|mocha|ava|tap|playwright test)",
        f"{_UPDATES}|--output",
    ),
    _rule("test", r"node --test", f"{_UPDATES}|-e|--eval|-r|--require|--import|--test-update"),
    _rule("test", "deno test", f"{_UPDATES}|-A|--allow-all"),
    _rule("test", "go test|go vet", "-o|-exec|-toolexec|-update|-vettool|-c(?= |$)"),
    _rule("test", "cargo (?:test|nextest run|check|clippy)", f"{_UPDATES}|--config|--target-dir"),
    _rule(
        "test", r"(?:\./)?mvnw?(?: -\S+)* (?:test|verify)|mvn(?: -\S+)* (?:test|verify)", "exec:"
    ),
    _rule("test", r"(?:\./gradlew|gradle)(?: -\S+)* (?::[\w:-]+:)?(?:test|check)", "-I|--init"),
    _rule("test", "(?:npm|pnpm|yarn|bun) run (?:check|typecheck|type-check|check-types)", _UPDATES),
    _rule("test", "mix (?:compile|credo|dialyzer)", "-o|--output|--build-path"),
    _rule("test", "make (?:test|tests|check|unit|lint)$"),
    _rule("test", r"(?:bundle exec |bin/)?(?:rspec|rake test|rails test)", "-r|--require|-o|--out"),
    _rule("test", r"(?:\./)?(?:vendor/bin/)?phpunit", f"{_UPDATES}|--log|--coverage|--bootstrap"),
    _rule("test", "dotnet test", "-o|--output|--results"),
    _rule("test", "ctest", "-D|-S|-SP|-O|--output-log|--build"),
    _rule("test", "swift test|mix test|zig build test|bats|php artisan test", _UPDATES),
    _rule(
        "test",
        "(?:(?:uv|poetry) run |npx )?"
        "(?:mypy|pyright|ty check|flake8|pylint|ruff check|ruff format --check)",
        f"{_UPDATES}|--install-types|-o|--output-file|--add-noqa|--unsafe|--html|--xml|--junit",
    ),
    _rule(
        "test",
        "(?:npx |pnpm |yarn )?eslint",
        f"{_UPDATES}|-o|--output-file|--init|--cache-location",
    ),
    _rule("test", "(?:npx |pnpm |yarn )?tsc(?: -p \\S+)? --noEmit", "--out|--build|-b|--init"),
    # git's own commands, by what they do; options before the subcommand: shellcode/git.py.
    _rule(
        "read",
        "git (?:status|log|show|diff|shortlog|whatchanged|cherry)",
        "--output|--ext-diff|--textconv",
    ),
    _rule(
        "read",
        "git (?:blame|annotate|describe|rev-parse|rev-list|ls-files|ls-tree|ls-remote|cat-file"
        "|merge-base|name-rev|show-ref|for-each-ref|check-ignore|count-objects|version|help|var)",
        "--upload-pack|--filters|--textconv|--exec",
    ),
    _rule("read", "git grep", "-O|--open-files"),
    _rule("read", r"git (?:remote|branch|tag|worktree list|reflog|stash show)$"),
    _rule("read", r"git remote (?:-v|--verbose|get-url \S+|show \S+)$"),
    _rule(
        "read",
        r"git branch (?:(?:-a|-r|-v|-vv|--all|--remotes|--list|--show-current|--merged) ?)+$",
    ),
    _rule("read", r"git tag (?:-l|--list)"),
    _rule("read", r"git config (?:--get|--list|-l|get|list)(?: [\w.-]+)?$"),
    _rule("read", r"git config (?:--global )?(?:[\w-]+\.)+[\w-]+$"),
    _rule("read", r"git apply (?:--check|--stat|--numstat|--summary)", "--apply|--index"),
    _rule("read", r"git stash show|git reflog show"),
    _rule("git_record", "git (?:add|commit|branch|tag|stash list)"),
    _rule("git_record", "git (?:fetch|push)", "--upload-pack|--receive-pack|--exec|ext::"),
    _rule("git_record", r"git (?:checkout -b|switch -c) [^ -]\S*$"),  # only a new name
    _rule(
        "git_restore",
        "git (?:checkout|switch|restore|reset|stash|apply|am|merge|rebase|pull|clean"
        "|revert|cherry-pick|rm|mv|read-tree|checkout-index|update-index|submodule|sparse-checkout"
        "|filter-branch|replace|bisect)",
        "--upload-pack|--exec|-x(?= |$)|ext::|run(?= |$)",
    ),
)
