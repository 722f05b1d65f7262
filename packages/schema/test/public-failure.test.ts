import { describe, expect, it } from 'vitest'
import { failure, type ErrorCode, type RunReport } from '../src/index.ts'
import { publicFailure } from '../src/public.ts'
import { publicReport } from '../src/runner/public-failure.ts'

const MESSAGE = 'OPENAI_API_KEY is not in /team/troupe.env, for openai/gpt-5 at https://models.example.com.'

describe('a public failure', () => {
  it.each<ErrorCode>([
    'env_missing',
    'config_invalid',
    'card_bad_value',
    'function_load_failed',
    'internal',
    'mcp_start_failed',
    'model_auth',
    'model_quota_exceeded',
    'model_rate_limited',
    'model_timeout',
    'model_unreachable',
    'store_unavailable',
  ])('a public failure keeps class and code of %s and says where the operator finds the reason', (code) => {
    const reason = failure(code, MESSAGE)
    const shown = publicFailure(reason, 'run_1')
    expect([shown.class, shown.code]).toEqual([reason.class, code])
    expect(shown.message).not.toMatch(/OPENAI|team|gpt|example/u)
    expect(shown.remediation).toBe('The operator finds the reason with `troupe runs show run_1`.')
    expect(publicFailure(shown)).toBe(shown)
  })

  it.each<ErrorCode>([
    'request_invalid',
    'agent_unknown',
    'budget_exceeded',
    'tool_failed',
    'run_unknown',
    'run_timeout',
  ])(
    'a public failure keeps %s unchanged, because it concerns the request or the run of the caller',
    (code) => {
      const reason = failure(code, 'q: there is no message.')
      expect(publicFailure(reason)).toBe(reason)
    },
  )

  it('a public report hides only the private problems', () => {
    const where = { runId: 'run_2', agent: 'A', instance: 'A[1]' }
    const own = { ...where, code: 'tool_failed', message: 'The tool failed.' }
    const report = (problems: RunReport['problems']): RunReport =>
      ({ runId: 'run_1', problems, problemCount: problems.length }) as RunReport
    const clean = report([own])
    expect(publicReport(clean)).toBe(clean)
    const { problems } = publicReport(report([{ ...where, code: 'model_auth', message: MESSAGE }, own]))
    expect(problems[0]?.message).not.toMatch(/OPENAI|team|gpt|example/u)
    expect(problems[1]).toBe(own)
  })

  it('a public failure keeps the time of the next possible attempt', () => {
    expect(publicFailure({ ...failure('model_rate_limited', MESSAGE), retryAt: 5 }).retryAt).toBe(5)
  })
})
