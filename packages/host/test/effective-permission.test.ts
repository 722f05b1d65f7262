import { defineAgent, defineTool, type AgentFields } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { effectivePermission } from '../src/tools/effective-permission.ts'

const agent = (fields: AgentFields = {}) => defineAgent({ name: 'A', instruction: 'x', ...fields })
const tool = (name: string, requiresApproval = false) =>
  defineTool({ name, description: 'x', requiresApproval, execute: () => 'x' })

describe('the permission of a child', () => {
  it(`the permission of a child is its own if no caller is stricter ${verifies('R16')}`, () => {
    const child = agent({ permissions: { allow: ['wipe'], ask: ['mail'] } })
    const { ofTool: permission } = effectivePermission(child, [
      agent({ permissions: { ask: ['read'] }, requiresApproval: ['read'] }),
    ])
    expect(permission(tool('read'))).toBe('allow')
    expect(permission(tool('wipe', true))).toBe('allow')
    expect(permission(tool('mail'))).toBe('ask')
  })

  it('the deny rules of all callers apply to a child', () => {
    const above = [agent(), agent({ permissions: { deny: ['shell.*'] } })]
    const { ofTool: permission } = effectivePermission(
      agent({ permissions: { allow: ['*'] }, toolPermission: 'never' }),
      above,
    )
    expect(permission(tool('shell.execute'))).toBe('deny')
    expect(permission(tool('other'))).toBe('allow')
  })

  it('a child has the strictest toolPermission of its callers and itself', () => {
    const never = agent({ toolPermission: 'never' })
    expect(effectivePermission(never, []).ofTool(tool('wipe', true))).toBe('allow')
    expect(effectivePermission(never, [never]).ofTool(tool('wipe', true))).toBe('allow')
    expect(effectivePermission(never, [agent()]).ofTool(tool('wipe', true))).toBe('ask')
    const always = agent({ toolPermission: 'always', permissions: { allow: ['read'] } })
    const generous = agent({ permissions: { allow: ['*'] } })
    expect(effectivePermission(generous, [always]).ofTool(tool('write'))).toBe('ask')
    expect(effectivePermission(generous, [always]).ofTool(tool('read'))).toBe('allow')
  })

  it('a child never inherits toolPermission `never`', () => {
    const child = agent()
    expect(effectivePermission(child, [agent({ toolPermission: 'never' })]).ofTool(tool('wipe', true))).toBe(
      'ask',
    )
  })
})
