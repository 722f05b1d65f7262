import { describe, expect, it } from 'vitest'
import { coerceToolResult, toolResult } from '../src/index.ts'
import { isToolResult } from '../src/values/tool-result.ts'

describe('coerceToolResult', () => {
  it('coerceToolResult returns a tool result unchanged', () => {
    const result = toolResult.json({ city: 'Paris' })
    expect(coerceToolResult(result)).toBe(result)
  })

  it('coerceToolResult converts every kind of MCP content', () => {
    const content = [
      { type: 'text', text: 'words' },
      { type: 'image', data: 'aW1n', mimeType: 'image/png' },
      { type: 'audio', data: 'c25k', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///b', blob: 'Ymlu' } },
      { type: 'resource_link', uri: 'https://example.com/c', name: 'c' },
    ]
    expect(coerceToolResult({ content })).toEqual({
      outcome: 'completed',
      content: [
        { type: 'text', text: 'words' },
        { type: 'data', mediaType: 'image/png', base64: 'aW1n' },
        { type: 'data', mediaType: 'audio/wav', base64: 'c25k' },
        { type: 'text', text: 'inside', uri: 'file:///a' },
        { type: 'data', mediaType: 'application/octet-stream', base64: 'Ymlu', uri: 'file:///b' },
        { type: 'text', text: 'https://example.com/c' },
      ],
    })
  })

  it('coerceToolResult keeps structured content and shows it if there is no other', () => {
    expect(coerceToolResult({ content: [], structuredContent: { n: 1 } })).toEqual({
      outcome: 'completed',
      content: [{ type: 'text', text: '{"n":1}' }],
      structured: { n: 1 },
    })
  })

  it('coerceToolResult converts isError to a failure whose text starts with "Error: " once', () => {
    for (const text of ['blocked', 'Error: blocked']) {
      const result = coerceToolResult({ content: [{ type: 'text', text }], isError: true })
      expect(result).toMatchObject({
        outcome: 'failed',
        content: [{ type: 'text', text: 'Error: blocked' }],
        failure: { class: 'tool', code: 'tool_failed', message: 'blocked' },
      })
    }
  })

  it('coerceToolResult keeps all text, data and structured content of a failure; only the message is truncated', () => {
    const text = 'x'.repeat(10_000)
    const image = { type: 'image', data: 'aW1n', mimeType: 'image/png' }
    const result = coerceToolResult({
      content: [{ type: 'text', text }, image],
      isError: true,
      structuredContent: { at: 3 },
    })
    expect(result?.content).toEqual([
      { type: 'text', text: `Error: ${text}` },
      { type: 'data', mediaType: 'image/png', base64: 'aW1n' },
    ])
    expect(result?.structured).toEqual({ at: 3 })
    expect(result?.failure?.message).toHaveLength(2001)
  })

  it('coerceToolResult reports a failure without text as such', () => {
    expect(coerceToolResult({ content: [], isError: true })?.failure?.message).toMatch(/without text/u)
  })

  it.each([
    undefined,
    null,
    'text',
    7,
    [],
    {},
    { content: 'text' },
    { content: ['text'] },
    { content: [null] },
    { content: [{ type: 'text' }] },
    { content: [{ type: 'paragraph', text: 'a' }] },
    { content: [{ type: 'image', data: 1, mimeType: 'image/png' }] },
    { content: [{ type: 'resource' }] },
    { content: [], structuredContent: { big: 1n } },
    { outcome: 'completed', content: [null] },
  ])('coerceToolResult returns undefined for %o', (value) => {
    expect(coerceToolResult(value)).toBeUndefined()
  })
})

describe('isToolResult', () => {
  it('isToolResult requires a known outcome and known content parts', () => {
    expect(isToolResult(toolResult.text('a'))).toBe(true)
    expect(isToolResult({ outcome: 'completed', content: [] })).toBe(true)
    expect(isToolResult({ outcome: 'done', content: [] })).toBe(false)
    expect(isToolResult({ outcome: 'completed', content: [{ type: 'text', text: 3 }] })).toBe(false)
    expect(isToolResult({ outcome: 'completed', content: [{ type: 'data', base64: '' }] })).toBe(false)
  })
})
