# Sourced by the other scripts. `environment [EXTRA]` makes the project's .venv from scripts/locks/requirements.lock.
# Needs Python 3.11 or newer (PYTHON=... names one) and a package index. An environment that is up to date is kept.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=$root/.venv
locks=$root/scripts/locks
lock=$locks/requirements.lock
export PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONDONTWRITEBYTECODE # so that modules are compiled once, not in each process

say() { printf '%s\n' "sqlrisk: $*" >&2; }

# The comment at the head of a script is its help.
help() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit 0
}

version() { "$1" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null; }

# Sets $python to the first interpreter that is new enough and can make environments. If none can, says why and exits.
find_python() {
    seen=''
    if [ -n "${PYTHON-}" ]; then
        set -- "$PYTHON"
    else
        set -- python3 python3.14 python3.13 python3.12 python3.11 python
    fi
    for python; do
        number=$(version "$python") || continue
        if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
            seen="$seen $python is $number, too old."
        elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
            seen="$seen $python ($number) lacks ensurepip or venv: on Debian and Ubuntu, apt install python3-venv."
        else
            return 0
        fi
    done
    say "needs Python 3.11 or newer.${seen:- None was found.} Install one, or name it: PYTHON=/path/to/python sh $0"
    exit 2
}

# Prints all that decides what an environment holds. A copy inside the environment shows later if it is up to date.
recipe() { printf '%s\n' "$root" && cat "$root/pyproject.toml" "$lock"; }

current() { # [EXTRA]
    # cmp stops reading at the first difference, or if that file is missing. Then recipe complains.
    recipe 2>/dev/null | cmp -s - "$venv/recipe${1:+-$1}" && number=$(version "$venv/bin/python") || return 1
    [ -z "${PYTHON-}" ] || [ "$(version "$PYTHON")" = "$number" ]
}

install() { # ARGUMENTS of pip
    if ! "$venv/bin/python" -m pip install --quiet --constraint "$lock" "$@" >&2; then
        say "could not install the libraries; pip says why above. Is a package index reachable?"
        exit 2
    fi
}

environment() { # [EXTRA]
    if current "${1-}" || current dev; then
        return 0
    fi
    if command -v flock >/dev/null; then # scripts that start together make it one after the other
        exec 9<"$root/pyproject.toml"
        flock 9
    fi
    if ! current "${1-}"; then
        make_environment "$@"
    fi
    exec 9<&-
}

make_environment() { # [EXTRA]
    [ ! -f "$venv/recipe-dev" ] || set -- dev # a developer's environment stays one when made again
    if current; then
        say "adding what $1 needs to ${venv##*/}"
    elif [ -L "$venv" ]; then # another checkout may use it, and making it again would empty it there
        say "${venv##*/} is a link to an environment of something else; remove the link"
        exit 2
    else
        find_python
        say "setting up ${venv##*/} with Python $number (once; about half a minute)"
        "$python" -m venv --clear "$venv" >&2
        install hatchling setuptools # from the lock, like everything else, so the build is not isolated
    fi
    install --no-build-isolation --editable "$root${1:+[$1]}"
    recipe >"$venv/recipe"
    [ -z "${1-}" ] || recipe >"$venv/recipe-$1"
}

# Prints the major version of a Java program, 17 for 17.0.15, or nothing.
java_version() { # PROGRAM
    "$1" -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1
}

# Finds Java 17 or newer for Spark in JAVA_HOME, on PATH or under /usr/lib/jvm. Otherwise root installs it on Debian.
find_java() {
    for program in "${JAVA_HOME:-/none}/bin/java" "$(command -v java 2>/dev/null)" /usr/lib/jvm/*/bin/java; do
        if [ -x "$program" ] && number=$(java_version "$program") && [ "${number:-0}" -ge 17 ]; then
            return 0
        fi
    done
    install_package openjdk-17-jre-headless 'Spark needs Java 17 or newer' ', or set JAVA_HOME'
}

# The tests start their own PostgreSQL server from the installed programs.
find_postgresql() {
    for program in "$(command -v initdb 2>/dev/null)" /usr/lib/postgresql/*/bin/initdb; do
        [ ! -x "$program" ] || return 0
    done
    install_package postgresql 'The tests need PostgreSQL' ''
}

# The tests open the HTML report in Chromium, without a window.
find_chromium() {
    command -v chromium >/dev/null && command -v chromedriver >/dev/null && return 0
    install_package 'chromium chromium-driver' 'The tests need Chromium and its driver' ''
}

# WeasyPrint draws a PDF with system libraries, which it finds by name.
find_pango() {
    "$venv/bin/python" -c 'import weasyprint' 2>/dev/null && return 0
    install_package 'libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0' 'The tests need Pango' ''
}

# The tests start their own MariaDB server from the installed programs.
find_mariadb() {
    command -v mariadb-install-db >/dev/null && command -v my_print_defaults >/dev/null && return 0
    install_package 'mariadb-server-core mariadb-client-core' 'The tests need MariaDB' ''
}

# The tests run a page of R, which needs only base R.
find_r() {
    command -v Rscript >/dev/null && return 0
    install_package r-base-core 'The tests need R' ''
}

# Makes .venv-NAME from the lock of that name, if missing or outdated. Its programs need other versions of some libraries.
find_apart() { # NAME PROGRAM OPTIONS of pip
    own=$root/.venv-$1 own_lock=$locks/requirements-$1.lock
    if cmp -s "$own_lock" "$own/recipe" && [ -x "$own/bin/$2" ]; then
        return 0
    fi
    say "setting up ${own##*/} (once)"
    "$venv/bin/python" -m venv --clear "$own" >&2
    if ! "$own/bin/python" -m pip install --quiet ${3-} --requirement "$own_lock" >&2; then
        say "could not set up ${own##*/}; pip says why above. Is a package index reachable?"
        return 1
    fi
    cp "$own_lock" "$own/recipe"
}

# The tests build a dbt project.
find_dbt() { find_apart dbt dbt || exit 2; }

# The tests start an emulator of Snowflake.
find_fakesnow() { find_apart fakesnow fakesnow || exit 2; }

# The benchmark runs programs of other authors, if they can be installed. Sets $peers to their interpreter.
find_peers() {
    peers=$root/.venv-peers/bin/python
    find_apart peers python '--only-binary :all:' || { say 'They need Python 3.11 or 3.12.' && return 1; }
}

# Installs packages as root on Debian. Otherwise says what to install, and exits.
install_package() { # NAMES WHY OTHERWISE
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "$2: installing $1 (once)"
        if apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $1 >&2; then
            return 0
        fi
    fi
    say "$2. Install it (Debian and Ubuntu: apt-get install $1)$3."
    exit 2
}
