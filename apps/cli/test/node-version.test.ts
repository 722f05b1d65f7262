import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { nodeProblem, OLDEST_NODE } from '../src/node-version.ts'

describe('a Node that is too old', () => {
  it.each(['20.20.2', '22.17.1', '18.0.0'])('is told which one is needed: %s', (version) => {
    expect(nodeProblem(version)).toContain(`needs Node ${OLDEST_NODE} or later, and this is Node ${version}`)
  })

  it('is not told to download a package by a name that anyone may publish', () => {
    expect(nodeProblem('20.20.2')).not.toMatch(/npx|npm /u)
  })

  it.each(['22.18.0', '22.21.1', '24.0.0', '25.0.0-nightly', '100.1.2'])('is not %s', (version) => {
    expect(nodeProblem(version)).toBeUndefined()
  })

  it('is what the package says', () => {
    const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    const { engines } = JSON.parse(text) as { readonly engines: { readonly node: string } }
    expect(engines.node).toBe(`>=${OLDEST_NODE}`)
  })
})
