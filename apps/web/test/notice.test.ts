import { failure } from '@troupe/schema'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { FailureNotice } from '../src/ui/notice.tsx'

const render = (code: 'run_cancelled' | 'tool_failed', message: string): string =>
  renderToStaticMarkup(createElement(FailureNotice, { failure: failure(code, message) }))

describe('failure notice', () => {
  it('the notice of a run that was stopped on request is neither an alert nor has a remediation', () => {
    const html = render('run_cancelled', 'The run was stopped.')
    expect(html).toContain('The run was stopped.')
    expect(html).not.toMatch(/role="alert"|text-bad|Start it again|run_cancelled/u)
  })

  it('the notice of any other failure is an alert with its code', () => {
    const html = render('tool_failed', 'The line is dead.')
    expect(html).toMatch(/role="alert"/u)
    expect(html).toContain('tool_failed')
  })
})
