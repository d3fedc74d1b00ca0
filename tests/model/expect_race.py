#!/usr/bin/env python3
"""Runs a program built with TSan, and passes when TSan reports a data race in it."""
import os
import subprocess
import sys

REPORTED = 66  # Picked for this script; no program of ours exits with it.

environment = dict(os.environ, TSAN_OPTIONS=f'exitcode={REPORTED} halt_on_error=1')
run = subprocess.run(sys.argv[1:], env=environment, stdout=subprocess.DEVNULL,
                     stderr=subprocess.PIPE, text=True, errors='replace', timeout=120,
                     check=False)
reported = run.returncode == REPORTED and 'ThreadSanitizer: data race' in run.stderr
print('TSan reported the race' if reported
      else f'the planted mistake SURVIVED (exit code {run.returncode})')
sys.exit(0 if reported else 1)
