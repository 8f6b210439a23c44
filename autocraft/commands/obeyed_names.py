"""The names of files that other programs obey: they run what such a file names when a person does something ordinary.

Opening a folder in an editor, entering it in a shell, `git status` or a push is enough, and nobody asks again there.
So the gate asks about each change of such a file, whatever else is allowed. Files that a person runs on purpose, such
as a Makefile, are only told: the preview of a change says who runs them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from autocraft.settings.trust import name_meant, plain_name

_OBEYED = {
    "git runs programs that its files name": ".git .gitconfig .gitmodules head",
    "hg runs programs that its files name": ".hg .hgrc",
    "svn runs programs that its files name": ".svn .subversion",
    "git runs it as a hook": (
        ".githooks .husky .pre-commit-config.yaml .pre-commit-hooks.yaml .overcommit.yml lefthook.yml lefthook.yaml "
        ".lefthook.yml .lefthook.yaml"
    ),
    "a shell runs it when you enter the folder": (
        ".envrc .direnv .autoenv .env.zsh .mise.toml mise.toml .mise .rtx.toml"
    ),
    "a shell runs it when it starts or ends": (
        ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .login .logout .zshrc .zshenv "
        ".zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .inputrc .xinitrc .xprofile .xsession .xsessionrc "
        ".pam_environment"
    ),
    "programs of your account read from it what they run": (
        ".config .local .ssh .gnupg .aws .docker .kube .tmux.conf .screenrc .mailcap .netrc _netrc .curlrc .wgetrc "
        ".psqlrc .sqliterc .my.cnf autorun.inf desktop.ini"
    ),
    "an editor runs it when you open the folder": (
        ".vscode .code-workspace .idea .fleet .zed .vs .nova .theia .devcontainer .devcontainer.json .sublime-project "
        ".vim .vimrc _vimrc .gvimrc .exrc _exrc .nvimrc .nvim.lua .nexrc .emacs .emacs.d .dir-locals.el "
        ".dir-locals-2.el .ideavimrc .kakrc"
    ),
    "a debugger or an interpreter runs it when it starts": (
        ".gdbinit .lldbinit .pdbrc .pythonrc .pythonstartup .ipython .jupyter .irbrc .pryrc .rprofile .renviron "
        ".octaverc sitecustomize.py usercustomize.py .pth .venv venv pyvenv.cfg site-packages .perldb"
    ),
    "a package manager or a build tool obeys it": (
        ".npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnp.cjs .pnp.loader.mjs node_modules .pypirc .pip pip.conf "
        "pip.ini uv.toml .condarc .gemrc .bundle .cargo .bazelrc .bazeliskrc .mvn .gradle .nuget nuget.config "
        "directory.build.props directory.build.targets .buckconfig .sbtopts .jvmopts"
    ),
    "a service runs it at a push": (
        ".github/workflows .github/actions .gitlab-ci.yml .gitlab-ci.yaml .gitlab/ci .circleci .travis.yml "
        ".appveyor.yml appveyor.yml azure-pipelines.yml azure-pipelines.yaml .azure-pipelines bitbucket-pipelines.yml "
        ".drone.yml .drone.star .woodpecker .woodpecker.yml .woodpecker.yaml .buildkite .teamcity .forgejo/workflows "
        ".gitea/workflows .cirrus.yml .semaphore jenkinsfile cloudbuild.yaml cloudbuild.yml buildspec.yml "
        ".readthedocs.yaml .readthedocs.yml netlify.toml vercel.json .gitpod.yml"
    ),
    "another agent follows it like orders": (
        ".claude .claude.json .mcp.json .cursor .cursorrules .codex .gemini .windsurf .windsurfrules .continue .kiro "
        ".roo .roomodes .clinerules .cline .aider.conf.yml .aider .amazonq .opencode opencode.json opencode.jsonc "
        ".goose .goosehints .junie .trae .qwen .agents .agent agents.md agent.md agents.override.md claude.md "
        "claude.local.md gemini.md qwen.md .github/copilot-instructions.md .github/instructions .github/prompts "
        ".github/chatmodes .github/agents .github/hooks"
    ),
    "a web server obeys it": ".htaccess .user.ini web.config",
}
OBEYED = {name: why for why, names in _OBEYED.items() for name in names.split()}
"""Name of a file or folder in small letters -> why. A name with ``/`` is a folder and a name in it."""
_PAIRS = [(folder, inner) for folder, slash, inner in (name.partition("/") for name in OBEYED) if slash]
_ENDINGS = (".git", ".pth", ".code-workspace", ".sublime-project")
"""Names that count at the end of another one too, as in ``bare.git`` or ``x.pth``."""
_TOLD = {
    "make": "makefile gnumakefile bsdmakefile",
    "npm, yarn and other programs of Node": "package.json",
    "Python's tools": (
        "setup.py setup.cfg pyproject.toml tox.ini noxfile.py tasks.py conftest.py pytest.ini manage.py"
    ),
    "a task runner": "justfile taskfile.yml taskfile.yaml rakefile gruntfile.js gulpfile.js dodo.py sconstruct",
    "a build tool": (
        "cmakelists.txt meson.build build.rs cargo.toml build.gradle build.gradle.kts settings.gradle pom.xml "
        "build.xml build.sbt gemfile podfile workspace.bazel build.bazel module.bazel composer.json configure"
    ),
    "a program for containers": (
        "dockerfile containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml vagrantfile procfile"
    ),
    "a linter": ".eslintrc.js .eslintrc.cjs eslint.config.js eslint.config.mjs .prettierrc.js .pylintrc pylintrc",
}
TOLD = {name: who for who, names in _TOLD.items() for name in names.split()}
"""Name of a file that a person runs on purpose -> who runs it."""
_SCRIPTS = (".sh", ".bash", ".zsh", ".fish", ".bat", ".cmd", ".ps1", ".command", ".desktop", ".vbs")


def why_obeyed(parts: Sequence[str]) -> str:
    """Return why other programs obey the file with these parts of a path. Return "" if none does."""
    for part, following in pairwise([*parts, ""]):
        if name := name_meant(part, OBEYED):
            return OBEYED[name]
        for folder, inner in _PAIRS:
            if name_meant(part, (folder,)) and name_meant(following, (inner,)):
                return OBEYED[f"{folder}/{inner}"]
        if ending := next((each for each in _ENDINGS if _ends(part, each)), ""):
            return OBEYED[ending]
    return ""


def who_runs(name: str) -> str:
    """Return who runs a file of this name when a person says so. Return "" if nobody is known to."""
    return TOLD.get(name_meant(name, TOLD), "") or ("a shell" if any(_ends(name, each) for each in _SCRIPTS) else "")


def _ends(name: str, ending: str) -> bool:
    """Tell whether some file system may take `name` for one with this ending, of which Windows keeps three letters."""
    plain = plain_name(name)
    return plain.endswith(ending) or re.search(rf"~[0-9]+{re.escape(ending[:4])}$", plain) is not None
