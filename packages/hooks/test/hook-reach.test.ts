import type { ToolEffect } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { approve, deny, hookReach, redact } from '../src/index.ts'

const tool = (name: string, effect: ToolEffect = 'once') => ({ name, source: 'function' as const, effect })

describe('what a stock hook concerns', () => {
  it('is known without a call: by name', () => {
    const reach = hookReach(deny({ tools: ['mail.*', 'wipe'], except: ['mail.read'] }))
    expect(reach?.name).toBe('deny')
    expect(['mail.send', 'mail.read', 'wipe', 'wiper'].map((name) => reach?.concerns(tool(name)))).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect(reach?.globs.map(({ glob, matches }) => [glob, matches('mail.read')])).toEqual([
      ['mail.*', true],
      ['wipe', false],
    ])
  })

  it('is known by source and effect', () => {
    const reach = hookReach(approve({ sources: ['function'], effects: ['once'] }))
    expect(reach?.concerns(tool('a'))).toBe(true)
    expect(reach?.concerns(tool('a', 'read'))).toBe(false)
    expect(reach?.concerns({ ...tool('a'), source: 'mcp' })).toBe(false)
  })

  it("is everything where nothing is said, and unknown of hooks of one's own", () => {
    expect(hookReach(redact())?.concerns(tool('a'))).toBe(true)
    expect(hookReach(redact())?.globs).toEqual([])
    expect(hookReach((_ctx, args, callNext) => callNext(args))).toBeUndefined()
  })
})
