import { describe, expect, it } from 'vitest'
import { parseCard } from '../src/index.ts'

const isDefault = (text: string, path = 'a.md'): boolean => parseCard(text, { path }).isDefault

describe('the default key of a card', () => {
  it('`default: true` is detected in a valid card', () => {
    expect(isDefault('---\ndescription: d\ndefault: true\n---\nx')).toBe(true)
    expect(isDefault('---\ndescription: d\n---\ndefault: true')).toBe(false)
  })

  it('`default: true` is detected in a card with errors in its keys', () => {
    expect(isDefault('---\ndefault: true\nlimitz: {}\n---\nx')).toBe(true)
  })

  it.each([
    ['broken YAML', '---\nname: [\ndefault: true # the first\n---\nx'],
    ['a fence that is not closed', '---\ndefault: true\nx'],
    ['a fence that names its language', '---yaml\nname: [\ndefault: true\n---\n'],
  ])('`default: true` is detected in the text of a card with %s', (_what, text) => {
    expect(isDefault(text)).toBe(true)
  })

  it('`default: true` is detected in broken JSON', () => {
    expect(isDefault('{\n  "default": true,\n  "instruction": \n}', 'a.json')).toBe(true)
  })

  it.each([
    ['prose', '---\nname: [\n---\ndefault: true'],
    ['a schema', '---\nname: [\ninput:\n  default: true\n---\nx'],
    ['another value', '---\nname: [\ndefault: false\n---\nx'],
  ])('`default: true` is not taken from %s of a broken card', (_what, text) => {
    expect(isDefault(text)).toBe(false)
  })
})
