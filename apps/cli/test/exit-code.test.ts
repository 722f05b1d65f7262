import { failure } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { exitCodeOf, exitCodeOfFailure } from '../src/terminal/exit-code.ts'
import { createStop, type StopCause } from '../src/terminal/stop.ts'

describe('exit codes', () => {
  it.each([
    ['completed', 0],
    ['failed', 1],
    ['partial', 3],
    ['budget', 4],
    ['denied', 5],
    ['timeout', 124],
    ['cancelled', 130],
  ] as const)('the outcome %s exits with %i', (outcome, code) => {
    expect(exitCodeOf({ outcome })).toBe(code)
  })

  it('a failure of class config exits with 2, before and during a run', () => {
    const error = failure('env_missing', 'no key')
    expect(exitCodeOf({ outcome: 'failed', error })).toBe(2)
    expect(exitCodeOfFailure(error)).toBe(2)
    expect(exitCodeOfFailure(failure('internal', 'a bug'))).toBe(1)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['EPIPE', 141],
  ] as const)('a stop by %s exits with %i', (cause: StopCause, code) => {
    const stop = createStop()
    expect(stop.exitCode).toBeUndefined()
    stop.request(cause)
    expect(stop.exitCode).toBe(code)
    expect(stop.signal.reason).toMatchObject({ code: 'run_cancelled' })
  })

  it('the exit code is that of the first cause of a stop', () => {
    const stop = createStop()
    stop.request('SIGTERM')
    stop.request('EPIPE')
    expect(stop.exitCode).toBe(143)
    expect(stop.silent).toBe(false)
  })
})
