import { describe, expect, it } from 'vitest'
import { insertRun } from '../src/program.ts'

const options = {
  commands: new Set(['help', 'run', 'check', 'tools']),
  exists: (path: string) => path === 'team',
}

describe('insertRun', () => {
  it.each([
    ['time.md hello', 'run time.md hello'],
    ['./team hello', 'run ./team hello'],
    ['team hello', 'run team hello'],
    ['https://example.org/a.md', 'run https://example.org/a.md'],
    ['--model x time.md', 'run --model x time.md'],
    ['--quiet time.md', 'run --quiet time.md'],
    ['time.md --help', 'run time.md --help'],
  ])('insertRun turns `%s` into `%s`', (args, expected) => {
    expect(insertRun(args.split(' '), options)).toEqual(expected.split(' '))
  })

  it.each([
    'run time.md',
    'check team',
    'tools call a b',
    'help run',
    '--help',
    '-V',
    'chek team',
    'nothing',
  ])('insertRun does not change `%s`', (args) => {
    expect(insertRun(args.split(' '), options)).toEqual(args.split(' '))
  })

  it('insertRun finds the command after switches', () => {
    expect(insertRun(['--no-color', 'check', 'team'], options)).toEqual(['check', '--no-color', 'team'])
  })
})
