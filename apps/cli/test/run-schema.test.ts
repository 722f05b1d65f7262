import { describe, expect, it } from 'vitest'
import { oneAgent, troupe } from './team.ts'

const SCHEMA = { type: 'object', properties: { hour: { type: 'integer' } }, required: ['hour'] }
const files = { 'hour.json': JSON.stringify(SCHEMA) }
const run = ['run', 'one.md', 'hi', '-q', '--schema', 'hour.json']

describe('troupe run --schema', () => {
  it('troupe run --schema prints a matching answer as JSON, whatever the output format of the card', async () => {
    const { code, out } = await troupe(run, {
      ...oneAgent('- say: x', { files }),
      'script.yaml': script('```json\n{"hour": 5}\n```'),
    })
    expect(code).toBe(0)
    expect(JSON.parse(out())).toEqual({ hour: 5 })
  })

  it('troupe run --schema fails with an answer that does not match', async () => {
    const { code, out, err } = await troupe(run, {
      ...oneAgent('- say: x', { files }),
      'script.yaml': script('{"hour": "five"}'),
    })
    expect([code, out()]).toEqual([1, ''])
    expect(err()).toContain('output_schema_mismatch')
  })

  it('troupe run --schema takes precedence over the schema of the card', async () => {
    const fields = 'output: {format: json, schema: {type: array}}'
    const { code } = await troupe(run, {
      ...oneAgent('- say: x', { fields, files }),
      'script.yaml': script('{"hour": 5}'),
    })
    expect(code).toBe(0)
  })

  it.each([
    ['is not there', {}, /--schema hour\.json: the file cannot be read: ENOENT/u],
    ['is a folder', { 'hour.json/x': '' }, /cannot be read: not a file/u],
    ['is not JSON', { 'hour.json': '{' }, /hour\.json is not valid JSON/u],
    ['holds no object', { 'hour.json': '[]' }, /does not contain a JSON object/u],
    ['is no schema', { 'hour.json': '{"type": "clock"}' }, /cannot be used: .*type/u],
    ['is too large', { 'hour.json': `"${'x'.repeat(1024 * 1024)}"` }, /larger than 1 MiB/u],
  ])(
    'troupe run --schema rejects a file that %s before the first model call',
    async (_what, given, message) => {
      const { code, out, err } = await troupe(run, { ...oneAgent('- say: hi'), ...given })
      expect([code, out()]).toEqual([2, ''])
      expect(err()).toMatch(message)
    },
  )
})

function script(answer: string): string {
  return JSON.stringify({ agents: { One: [{ say: answer }] } })
}
