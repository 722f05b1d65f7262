import { createHash } from 'node:crypto'
import type { RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { formatRunHtml } from '../src/html/index.ts'
import { numbered, twoCities } from './two-cities.ts'

/** Returns the events of a run whose input and answer are a text. */
function runOf(text: string): readonly RunEvent[] {
  const root = { runId: 'root', agent: 'Echo', instance: 'Echo', depth: 0 }
  return numbered([
    sampleEvent('run-start', { ...root, time: 1000, input: text }),
    sampleEvent('run-end', { ...root, time: 2000, durationMs: 1000, output: { format: 'text', text } }),
  ])
}

describe('formatRunHtml', () => {
  it('shows the input, each agent with its usage, and every call with its result in one file', () => {
    const page = formatRunHtml(twoCities())
    for (const text of ['What time is it?', 'New-York[1]', 'London[2]', '10:30', '<td>total</td>'])
      expect(page).toContain(text)
    const failed = page
      .split('</ol>')[0]
      ?.split('<li')
      .filter((step) => step.includes('data-failed'))
    expect(failed?.map((step) => step.includes('London[2]'))).toEqual([true])
  })

  it('shows texts of models as text, without marks that reorder it', () => {
    const page = formatRunHtml(runOf('<img src=x onerror=alert(1)> "\u202Egnp.exe'))
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;gnp.exe')
    expect(page).not.toContain('<img')
  })

  it('allows only its own style sheet and its own script', () => {
    const page = formatRunHtml(twoCities())
    const policy = /Content-Security-Policy" content="(?<policy>[^"]*)"/u.exec(page)?.groups?.['policy']
    const digestOf = (element: string): string => {
      const source = page.split(`<${element}>`)[1]?.split(`</${element}>`)[0] ?? ''
      return `sha256-${createHash('sha256').update(source).digest('base64')}`
    }
    expect(policy?.replaceAll('&#39;', "'")).toBe(
      `default-src 'none'; script-src '${digestOf('script')}'; style-src '${digestOf('style')}'; base-uri 'none'; form-action 'none'`,
    )
    expect(page.replaceAll('http-equiv', '')).not.toMatch(/\b(?:src|href|style)=|https?:/u)
  })

  it('cuts long texts and says so', () => {
    const page = formatRunHtml(runOf('a'.repeat(200_000)))
    expect(page).toContain(`${'a'.repeat(1000)}…</pre>`)
    expect(page.length).toBeLessThan(300_000)
  })

  it('refuses a run without events', () => {
    expect(() => formatRunHtml([])).toThrow('A run without events cannot be shown.')
  })
})
