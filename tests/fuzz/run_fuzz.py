#!/usr/bin/env python3
"""Runs a libFuzzer program for a while and says whether the outcome is the expected one.

    run_fuzz.py holds PROGRAM     finds nothing in COMCH_FUZZ_SECONDS (5)
    run_fuzz.py dies PROGRAM      has a planted mistake, and finds it within 10 seconds

The seed is COMCH_TEST_SEED or a fresh one; libFuzzer prints it, and an input that fails as
base64.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import time

PATIENCE = 10  # Seconds that a planted mistake may live.
EVIDENCE = re.compile(r'ORACLE: .*|ERROR: AddressSanitizer: \S+|runtime error: .*'
                      r'|ERROR: libFuzzer: .*')


def main():
    expected, program = sys.argv[1:]
    seconds = PATIENCE if expected == 'dies' else int(os.environ.get('COMCH_FUZZ_SECONDS', '5'))
    seed = os.environ.get('COMCH_TEST_SEED') or str(random.randrange(1, 1 << 31))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix='comch-fuzz-') as artifacts:
        run = subprocess.run(
            [program, f'-max_total_time={seconds}', f'-seed={int(seed) % (1 << 32)}',
             '-max_len=600', '-timeout=5', '-print_final_stats=1',
             f'-artifact_prefix={artifacts}/'],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors='replace',
            timeout=seconds + 60, check=False)
    took = time.monotonic() - began
    evidence = EVIDENCE.search(run.stderr)
    if expected == 'dies':
        if run.returncode != 0 and evidence:
            print(f'found after {took:.1f} s: {evidence.group()}')
            return 0
        print(f'the planted mistake SURVIVED {took:.1f} s (seed {seed})')
        return 1
    if run.returncode != 0:
        print(run.stderr[-8000:])
        print(f'exit code {run.returncode}, seed {seed}')
        return 1
    print('\n'.join(line for line in run.stderr.splitlines() if 'executed_units' in line))
    print(f'held for {took:.1f} s, seed {seed}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
