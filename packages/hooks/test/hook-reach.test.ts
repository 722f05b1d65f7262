import type { ToolEffect } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { approve, deny, hookReach, redact } from '../src/index.ts'

const tool = (name: string, effect: ToolEffect = 'once') => ({ name, source: 'function' as const, effect })

describe('reach of a stock hook', () => {
  it('the reach of a stock hook by tool name is known without a call', () => {
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

  it('the reach of a stock hook by source and effect is known without a call', () => {
    const reach = hookReach(approve({ sources: ['function'], effects: ['once'] }))
    expect(reach?.concerns(tool('a'))).toBe(true)
    expect(reach?.concerns(tool('a', 'read'))).toBe(false)
    expect(reach?.concerns({ ...tool('a'), source: 'mcp' })).toBe(false)
  })

  it('the reach of a stock hook without a filter is every tool, and that of a custom hook is unknown', () => {
    expect(hookReach(redact())?.concerns(tool('a'))).toBe(true)
    expect(hookReach(redact())?.globs).toEqual([])
    expect(hookReach((_ctx, args, callNext) => callNext(args))).toBeUndefined()
  })
})
