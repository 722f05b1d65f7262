import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../../..')
const NAMED_TWICE = /\(\?<(?<name>\w+)>.*\(\?<\k<name>>/u

it('no line of the packages names two groups of a regular expression alike, which Node 22 refuses to load', () => {
  const files = globSync('{packages,apps}/*/src/**/*.ts', { cwd: root })
  const lines = files.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (NAMED_TWICE.test(line) ? [`${file}:${index + 1}`] : [])),
  )
  expect(files.length).toBeGreaterThan(1000)
  expect(lines).toEqual([])
  expect(NAMED_TWICE.test('/a(?<path>b)|c(?<path>d)/')).toBe(true)
})
