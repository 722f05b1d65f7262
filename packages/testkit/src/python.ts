import { spawnSync } from 'node:child_process'

/** True if `python3` is version 3.10 or later. */
export const HAS_PYTHON: boolean =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0

/** The end of the titles of tests that need Python, if it is missing. */
export const PYTHON_NOTE: string = HAS_PYTHON ? '' : ' – NOT RUN: python3 (3.10 or later) is missing'
