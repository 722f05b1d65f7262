import { HOSTILE_TEXTS } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createOverlay, expandText, findVariables, parseEnvFile } from '../src/index.ts'

describe('a hostile env file', () => {
  it.each(HOSTILE_TEXTS.env.map(({ name, text }) => [name, text] as const))(
    'parseEnvFile terminates with readable problems for a hostile file: %s',
    (_name, text) => {
      const { values, problems } = parseEnvFile(text, 'troupe.env')
      expect(Object.keys(values).length).toBeLessThan(2)
      expect(problems.length).toBeLessThan(102)
      for (const { message } of problems) expect(message.length).toBeLessThan(200)
    },
  )

  it('parseEnvFile reports the line at which it stopped reading a hostile file', () => {
    const { problems } = parseEnvFile('=\n'.repeat(1000), 'troupe.env')
    expect(problems.at(-1)).toEqual({
      line: 101,
      message:
        'troupe.env:101: the rest of the file is not read, because the file has too many invalid lines',
    })
  })
})

describe('a hostile value', () => {
  it.each(HOSTILE_TEXTS.value.map(({ name, text }) => [name, text] as const))(
    'expandText terminates for a hostile value: %s',
    (_name, text) => {
      expect(findVariables(text).every(({ name }) => name === 'A')).toBe(true)
      const { value, missing } = expandText(text, createOverlay([{ origin: 'process', values: { A: '1' } }]))
      expect(value.length).toBeLessThanOrEqual(text.length)
      expect(missing).toEqual([])
    },
  )
})
