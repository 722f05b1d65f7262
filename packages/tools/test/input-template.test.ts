import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { fillInputTemplate, parseInputTemplate, templateSyntaxProblem } from '../src/input-template.ts'

const fill = (text: string, values = {}): string => parseInputTemplate(text).render(values)

describe('templates of an input', () => {
  it.each([
    ['Review {{ path }}.', { path: 'src' }, 'Review src.'],
    ['{% if deep == "true" %}All{% else %}Some{% endif %}', { deep: true }, 'All'],
    ['{% if count == "3" %}three{% endif %}', { count: 3 }, 'three'],
    ['{% for f in files %}{{ loop.index }}:{{ f }} {% endfor %}', { files: ['a', 'b'] }, '1:a 2:b '],
    ['{{ path | upper }}', { path: 'src' }, 'SRC'],
    ['{{ path | default("none") }}', {}, 'none'],
    ['{% if path is defined %}{{ path }}{% endif %}.', {}, '.'],
    ['{% set x = "y" %}{{ x }}', {}, 'y'],
    ['{% macro m(a, b="2") %}{{ a }}{{ b }}{% endmacro %}{{ m("1") }}', {}, '12'],
    ['{{ file.name }}', { file: { name: 'n', other: 'o' } }, 'n'],
  ])('a template is filled with values: %s', (text, values, expected) => {
    expect(fill(text, values)).toBe(expected)
  })

  it('a value is not read as a template', () => {
    expect(fill('{{ a }}', { a: '{{ b }}{% if %}' })).toBe('{{ b }}{% if %}')
  })

  it.each(['Write {{ not a name }} and {{}}.', '{% raw %}{{ a }}{% if %}{% endraw %}'])(
    'text in braces that is no expression stays as it is: %s',
    (text) => {
      expect(fill(text)).toBe(text.replaceAll(/\{% (?:end)?raw %\}/gu, ''))
    },
  )

  it('names are those that need a value', () => {
    const text =
      '{{ b }}{{ a.x }}{% for i in list if i in a %}{{ loop.index }}{{ i }}{% endfor %}{{ c | default(d) }}{% if e is defined %}{{ e }}{% endif %}{{ true }}'
    expect(parseInputTemplate(text).names).toEqual(['a', 'b', 'd', 'list'])
  })

  it(`a variable without a value is a failure that names it ${verifies('R15')}`, () => {
    const options = { values: {}, schema: { properties: { a: { default: 'x' } } } }
    expect(fillInputTemplate('{{ a }}', options)).toBe('x')
    expect(fillInputTemplate('{{ a }}{{ b }}', options)).toMatchObject({
      code: 'input_invalid',
      message: 'The template has no value for b.',
    })
  })

  it.each(['{% if a %}', '{{ a', '{% raw %}', '{% include "x" %}', '{% extends "x" %}'])(
    'an invalid template has a problem: %s',
    (text) => {
      expect(templateSyntaxProblem(text)).toBeTypeOf('string')
    },
  )

  it.each([
    '{% for a in range(9999999999) %}x{% endfor %}',
    '{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}',
    '{% for a in range(9999) %}0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345{% endfor %}',
  ])('a template that takes too long or grows too large fails: %s', (text) => {
    expect(() => fill(text)).toThrow(/range|timed out|characters/iu)
  })

  it.each([
    '{{ range.constructor("return process")() }}',
    '{{ "".constructor.constructor("return process")() }}',
    '{{ a.__proto__.polluted }}',
    '{{ self.constructor }}',
  ])('a template reaches nothing but its values: %s', (text) => {
    const render = (): string => fill(text, { a: 'x', self: 'y' })
    let result = ''
    try {
      result = render()
    } catch {
      return
    }
    expect(result).toBe('')
  })
})
