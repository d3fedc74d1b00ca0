#!/bin/sh
# Compiles every header of the C API alone, as C and as C++, with every compiler there is and all
# warnings as errors: with experimental functions allowed, and without.
#
#   compile_headers.sh DIRECTORY-OF-HEADERS
set -eu
headers=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
count=0

# compile COMPILER STANDARD FILE
compile() {
  for allow in -DDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_ARCH_DPU; do
    "$1" "-std=$2" "$allow" -Wall -Wextra -Wpedantic -Werror -I"$headers" -fsyntax-only "$3" || {
      echo "$3: not clean with $1 -std=$2 $allow"
      failed=1
    }
    count=$((count + 1))
  done
}

for header in "$headers"/doca_*.h; do
  name=$(basename "$header" .h)
  # Twice: the guard holds. C wants a declaration in every file.
  printf '#include <%s.h>\n#include <%s.h>\nextern int here;\n' "$name" "$name" \
    >"$scratch/$name.c"
  cp "$scratch/$name.c" "$scratch/$name.cc"
  for compiler in gcc clang-19; do
    if command -v "$compiler" >"$scratch/where"; then
      compile "$compiler" gnu11 "$scratch/$name.c"
    fi
  done
  for compiler in g++ clang++-19; do
    if command -v "$compiler" >"$scratch/where"; then
      compile "$compiler" c++17 "$scratch/$name.cc"
      compile "$compiler" c++20 "$scratch/$name.cc"
    fi
  done
done

# All of them together, and what a program makes of the macros, with a semicolon and without.
for semicolon in '' ';'; do
  {
    for header in "$headers"/doca_*.h; do
      echo "#include <$(basename "$header")>"
    done
    echo "DOCA_LOG_REGISTER(HEADERS::ALL)$semicolon"
    echo 'int main(void) {'
    echo '  DOCA_LOG_INFO("one"); DOCA_LOG_WARN("%d", 2); DOCA_LOG_TRC("3"); return 0;'
    echo '}'
  } >"$scratch/all.c"
  cp "$scratch/all.c" "$scratch/all.cc"
  for compiler in gcc clang-19 g++ clang++-19; do
    case $compiler in
      *++*) file=$scratch/all.cc standard=c++17 ;;
      *) file=$scratch/all.c standard=gnu11 ;;
    esac
    if command -v "$compiler" >"$scratch/where"; then
      "$compiler" "-std=$standard" -DDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_ALLOW_DEPRECATED_API \
        -Wall -Wextra -Wpedantic -Werror -I"$headers" -fsyntax-only "$file" || failed=1
      count=$((count + 1))
    fi
  done
done
echo "$count compilations"
[ "$count" -gt 0 ] || failed=1
exit "$failed"
