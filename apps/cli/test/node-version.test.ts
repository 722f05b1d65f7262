import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { nodeProblem, MIN_NODE_VERSION } from '../src/library/node-version.ts'

describe('an unsupported Node version', () => {
  it.each(['20.20.2', '22.17.1', '18.0.0'])(
    'an unsupported Node version gets a message with the required version: %s',
    (version) => {
      expect(nodeProblem(version)).toContain(
        `needs Node ${MIN_NODE_VERSION} or later, but this is Node ${version}`,
      )
    },
  )

  it('the message for an unsupported Node version names no package that anyone could publish', () => {
    expect(nodeProblem('20.20.2')).not.toMatch(/npx|npm /u)
  })

  it.each(['22.18.0', '22.21.1', '24.0.0', '25.0.0-nightly', '100.1.2'])(
    'Node %s is supported',
    (version) => {
      expect(nodeProblem(version)).toBeUndefined()
    },
  )

  it('the oldest supported Node version is that of package.json', () => {
    const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    const { engines } = JSON.parse(text) as { readonly engines: { readonly node: string } }
    expect(engines.node).toBe(`>=${MIN_NODE_VERSION}`)
  })
})
