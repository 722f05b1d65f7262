import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillTemplate, findBadPlaceholder, type TemplateData } from '../src/script/template.ts'

const data: TemplateData = {
  input: 'the {{input}} of the user',
  results: [
    { text: '12:00', json: undefined },
    { text: '{…}', json: { city: { name: 'Rome' }, hours: [9, 10], on: null } },
  ],
}

function filled(template: string): string {
  const result = fillTemplate(template, data)
  return 'text' in result ? result.text : result.problem
}

describe('fillTemplate', () => {
  it.each([
    ['{{results.0.text}} and {{ results.1.text }}', '12:00 and {…}'],
    ['{{results.1.json.city.name}}', 'Rome'],
    ['{{results.1.json.hours.1}}', '10'],
    ['{{results.1.json.hours}}', '[9,10]'],
    ['{{results.1.json.on}}', 'null'],
    ['no placeholder {but} }} braces', 'no placeholder {but} }} braces'],
  ])('fillTemplate fills %s', (template, text) => {
    expect(filled(template)).toBe(text)
  })

  it('fillTemplate does not scan inserted text again', () => {
    expect(filled('{{input}}')).toBe('the {{input}} of the user')
  })

  it.each([
    '{{results.2.text}}',
    '{{results.0.json.city}}',
    '{{results.1.json.city.zip}}',
    '{{results.1.json.constructor}}',
    '{{results.1.json.hours.length}}',
  ])('fillTemplate reports that %s has no value', (template) => {
    expect(fillTemplate(template, data)).toEqual({
      problem: `${template} has no value; the last turn has 2 tool results`,
    })
  })

  it('fillTemplate leaves text without placeholders unchanged, and inserts any input', () => {
    assert(
      property(
        string().filter((text) => !text.includes('{{')),
        string(),
        (around, input) => {
          const given = { input, results: [] }
          expect(fillTemplate(`${around}|{{input}}`, given)).toEqual({ text: `${around}|${input}` })
        },
      ),
    )
  })
})

describe('findBadPlaceholder', () => {
  it('findBadPlaceholder finds an invalid placeholder at any depth', () => {
    expect(findBadPlaceholder(['{{input}}', { a: [{ b: '{{results.x.text}}' }] }])).toContain(
      '{{results.x.text}}',
    )
    expect(findBadPlaceholder(['{{input}} {{results.0.json.a.b}}', undefined])).toBeUndefined()
  })
})
