import { describe, expect, it } from 'vitest'
import { parse } from './card-text.ts'

/** Reads a scalar. A schema may contain any JSON value. */
function read(scalar: string): unknown {
  return parse(`description: d\ninput: {schema: {default: ${scalar}}}`).definition?.input.schema?.['default']
}

describe('a scalar in front matter', () => {
  it.each([
    ['yes', 'yes'],
    ['no', 'no'],
    ['on', 'on'],
    ['off', 'off'],
    ['y', 'y'],
    ['true', true],
    ['True', true],
    ['FALSE', false],
    ['null', null],
    ['Null', null],
    ['~', null],
    ['2026-11-21', '2026-11-21'],
    ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00Z'],
    ['1:30', '1:30'],
    ['12:30:45', '12:30:45'],
    ['1_000', '1_000'],
    ['010', 10],
    ['0o10', 8],
    ['0x1F', 31],
    ['0b11', '0b11'],
    ['+3', 3],
    ['-3', -3],
    ['3.', 3],
    ['.5', 0.5],
    ['1e3', 1000],
    ['1e999', '1e999'],
    ['.inf', '.inf'],
    ['-.inf', '-.inf'],
    ['.nan', '.nan'],
    ['1.0.0', '1.0.0'],
    ['1.10', 1.1],
    ['"1.10"', '1.10'],
    ["'it''s'", "it's"],
    ['"a\\tb"', 'a\tb'],
    ['a b', 'a b'],
    ['a#b', 'a#b'],
    ['!!str 12', '12'],
    ['!!int "12"', 12],
    ['=', '='],
    ['<<', '<<'],
  ])('a scalar in front matter follows YAML 1.2: %s', (scalar, value) => {
    expect(read(scalar)).toEqual(value)
  })
})
