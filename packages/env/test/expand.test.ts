import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOverlay, expandText, expandValues, findVariables, type Overlay } from '../src/index.ts'

const overlay = createOverlay([
  { origin: 'process', values: { HOST: 'example.com', EMPTY: '', TRICK: '${HOST} $& $1' } },
])

describe('expandText', () => {
  it.each([
    ['https://${HOST}/v1', 'https://example.com/v1'],
    ['${HOST}${HOST}', 'example.comexample.com'],
    ['${PORT:-443}', '443'],
    ['${HOST:-localhost}', 'example.com'],
    ['${EMPTY}', ''],
    ['${EMPTY:-filled}', 'filled'],
    ['${PORT:-}', ''],
    ['${PORT:-a:-b}', 'a:-b'],
    ['${A:-${B:-${HOST}}}', 'example.com'],
    ['${A:-x${B:-y}z}', 'xyz'],
  ])('expandText expands %s to %s', (text, value) => {
    expect(expandText(text, overlay)).toEqual({ value, missing: [] })
  })

  it.each([
    ['$${HOST}', '${HOST}'],
    ['$$${HOST}', '$${HOST}'],
    ['cost: $5 and {x}', 'cost: $5 and {x}'],
    ['${', '${'],
    ['${}', '${}'],
    ['${1A}', '${1A}'],
    ['${HOST', '${HOST'],
    ['${HOST-x}', '${HOST-x}'],
    ['${PORT:-open', '${PORT:-open'],
    ['${PORT:-${HOST}', '${PORT:-example.com'],
    ['$HOST', '$HOST'],
    ['{"a": 1}}', '{"a": 1}}'],
  ])('expandText treats %s as %s', (text, value) => {
    expect(expandText(text, overlay)).toEqual({ value, missing: [] })
  })

  it('expandText does not expand the value of a variable', () => {
    expect(expandText('${TRICK}', overlay).value).toBe('${HOST} $& $1')
  })

  it(`expandText reports each missing variable once and leaves its reference unchanged ${verifies('C44')}`, () => {
    expect(expandText('${A} ${B} ${A} ${C:-${D}}', overlay)).toEqual({
      value: '${A} ${B} ${A} ${D}',
      missing: ['A', 'B', 'D'],
    })
  })

  it('expandText does not report variables in an unused default', () => {
    expect(expandText('${HOST:-${NOWHERE}}', overlay).missing).toEqual([])
  })

  it.each(['__proto__', 'constructor', 'toString'])('expandText finds no variable in %s', (name) => {
    expect(expandText(`\${${name}}`, overlay).missing).toEqual([name])
  })

  it('expandText takes linear time for deeply nested braces', () => {
    const text = '${A:-'.repeat(200_000)
    expect(expandText(text, overlay).value).toBe(text)
    const closed = '${A:-'.repeat(100_000) + 'x' + '}'.repeat(100_000)
    expect(expandText(closed, overlay).missing).toEqual([])
  })
})

describe('expandValues', () => {
  it('expandValues expands every string of a nested value and nothing else', () => {
    const call = (): string => '${HOST}'
    const value = {
      url: 'https://${HOST}',
      args: ['--host', '${HOST}', 3, null, true],
      '${HOST}': { deep: ['${NOWHERE}'] },
      call,
    }
    const expanded = expandValues(value, overlay)
    expect(expanded).toEqual({
      value: {
        url: 'https://example.com',
        args: ['--host', 'example.com', 3, null, true],
        '${HOST}': { deep: ['${NOWHERE}'] },
        call,
      },
      missing: ['NOWHERE'],
    })
    expect(value.url).toBe('https://${HOST}')
  })

  it('expandValues keeps hostile keys as own properties', () => {
    const value = JSON.parse('{"__proto__": {"polluted": "${HOST}"}}') as Record<string, unknown>
    const expanded = expandValues(value, overlay).value
    expect(Object.keys(expanded)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(expanded)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('findVariables', () => {
  it('findVariables lists the variables of a nested value and whether each is optional', () => {
    expect(findVariables({ a: '${A} ${B:-x}', b: ['${C:-${D}}', '$${E}', '${B}'] })).toEqual([
      { name: 'A', hasDefault: false },
      { name: 'B', hasDefault: false },
      { name: 'C', hasDefault: true },
      { name: 'D', hasDefault: true },
    ])
  })
})

describe('expansion of any text', () => {
  const names = fc.constantFrom('A', 'B', 'C', '__proto__')
  const hostile = fc
    .array(fc.oneof(fc.constantFrom('${', '}', '$', '$$', '$${', ':-', 'A', '{', ' '), fc.string()), {
      maxLength: 30,
    })
    .map((parts) => parts.join(''))
  const overlays = fc
    .dictionary(names, fc.string())
    .map((values) => createOverlay([{ origin: 'process', values }]))

  it('expandText always terminates and is deterministic', () => {
    fc.assert(
      fc.property(hostile, overlays, (text, overlay) => {
        expect(expandText(text, overlay)).toEqual(expandText(text, overlay))
      }),
    )
  })

  it('expandText returns text without variables unchanged', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('${')),
        (text) => {
          expect(expandText(text, overlay)).toEqual({ value: text, missing: [] })
        },
      ),
    )
  })

  it('expandText returns the original text if every `${` is escaped', () => {
    fc.assert(
      fc.property(hostile, overlays, (text, overlay) => {
        const plain = text.replaceAll('$${', '{')
        const escaped = plain.replaceAll('${', () => '$${')
        expect(expandText(escaped, overlay)).toEqual({ value: plain, missing: [] })
      }),
    )
  })

  it('expandText expands adjacent variables to their joined values, whatever they contain', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.string())), (pairs) => {
        const values = Object.fromEntries(pairs)
        const used = Object.keys(values)
        const text = used.map((name) => `\${${name}}`).join('|')
        const overlay: Overlay = createOverlay([{ origin: 'process', values }])
        expect(expandText(text, overlay).value).toBe(used.map((name) => values[name]).join('|'))
      }),
    )
  })

  it('expandText reports only variables that findVariables lists', () => {
    fc.assert(
      fc.property(hostile, overlays, (text, overlay) => {
        const found = findVariables(text).map((variable) => variable.name)
        for (const name of expandText(text, overlay).missing) expect(found).toContain(name)
      }),
    )
  })
})
