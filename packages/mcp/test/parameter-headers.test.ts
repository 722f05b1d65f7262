import { describe, expect, it } from 'vitest'
import { parameterHeaderFault } from '../src/tools/server-tool.ts'

const text = (header: unknown, type = 'string') => ({ type, 'x-mcp-header': header }) as never

describe('parameters that are also sent as headers', () => {
  it('header parameters are valid on strings, integers and booleans at any depth below properties', () => {
    const inner = { type: 'object', properties: { c: text('Third', 'boolean') } }
    const schema = { type: 'object', properties: { a: text('First'), b: text('Second', 'integer'), inner } }
    expect(parameterHeaderFault(schema)).toBeUndefined()
  })

  it('header parameters may be named like the annotation key', () => {
    const schema = { type: 'object', properties: { 'x-mcp-header': { type: 'string' } } }
    expect(parameterHeaderFault(schema)).toBeUndefined()
  })

  it.each([
    ['no text', { properties: { a: text(7) } }],
    ['empty', { properties: { a: text('') } }],
    ['no header name', { properties: { a: text('a b') } }],
    ['on an object', { properties: { a: text('A', 'object') } }],
    ['on a number', { properties: { a: text('A', 'number') } }],
    ['named twice', { properties: { a: text('Same'), b: text('same') } }],
    ['on the root', text('Root')],
    ['in items', { properties: { a: { type: 'array', items: text('A') } } }],
    ['in a branch', { anyOf: [{ properties: { a: text('A') } }] }],
    ['in a definition', { $defs: { a: text('A') } }],
  ])('header parameters are a fault if the annotation is %s', (_what, schema) => {
    expect(parameterHeaderFault({ type: 'object', ...(schema as object) })).toBeDefined()
  })

  it('header parameters are not searched for in data', () => {
    const schema = { type: 'object', properties: { a: { default: { 'x-mcp-header': 7 } } } }
    expect(parameterHeaderFault(schema)).toBeUndefined()
  })
})
