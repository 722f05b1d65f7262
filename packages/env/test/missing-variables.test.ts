import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { missingVariables } from '../src/index.ts'

describe('missingVariables', () => {
  it(`missingVariables names the variable and where to define it ${verifies('C44')}`, () => {
    const reason = missingVariables(['OPENAI_API_KEY'], {
      searched: ['override', '.ai-agent.env', 'process'],
    })
    expect(reason).toMatchObject({ class: 'config', code: 'env_missing' })
    expect(reason.message).toBe('Missing: OPENAI_API_KEY; define it in the shell or in .ai-agent.env')
    expect(reason.remediation).toBe('Define it in one of these places, or pass --env OPENAI_API_KEY=VALUE.')
  })

  it('missingVariables names each variable and each file once, and does not repeat the files in the fix', () => {
    const { message, remediation } = missingVariables(['A', 'B', 'A'], {
      searched: ['/x/one.env', '/x/two.env'],
    })
    expect(message).toBe('Missing: A, B; define them in the shell or in /x/one.env or /x/two.env')
    expect(remediation).not.toContain('/x/')
  })

  it('missingVariables names an option for each of up to three variables', () => {
    const fixOf = (...names: readonly string[]) =>
      missingVariables(names, { searched: ['override'] }).remediation
    expect(fixOf('A', 'B', 'A')).toContain('or pass --env A=VALUE --env B=VALUE.')
    expect(fixOf('A', 'B', 'C', 'D')).toContain('or pass --env NAME=VALUE for each.')
  })

  it('missingVariables names `env` instead of an option if there is no such option', () => {
    const { remediation } = missingVariables(['A'], { searched: ['process'] })
    expect(remediation).toBe('Define it in one of these places, or pass it in `env`.')
  })

  it('missingVariables names at most five files', () => {
    const searched = Array.from({ length: 7 }, (_, index) => `/x/${index}.env`)
    const { message } = missingVariables(['A'], { searched })
    expect(message).toContain('/x/3.env or /x/4.env and 2 more')
    expect(message).not.toContain('/x/5.env')
  })

  it('missingVariables suggests a sidecar file if no file was found', () => {
    expect(missingVariables(['A'], { searched: ['process'] }).message).toContain('troupe.env beside the card')
    expect(missingVariables(['A'], { searched: [] }).message).toContain('troupe.env beside the card')
  })
})
