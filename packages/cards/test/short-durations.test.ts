import { expect, it } from 'vitest'
import { parse } from './card-text.ts'

it.each([
  ['limits: {timeout: 30}', '`limits.timeout`: 30 is 30 milliseconds.', '`30s`'],
  ['limits: {toolTimeout: "30"}', '`limits.toolTimeout`: 30 is 30 milliseconds.', '`30s`'],
  ['child_timeout: 5', '`child_timeout`: 5 is 5 milliseconds.', '`5s`'],
  [
    'mcpServers: {a: {command: x, startTimeout: 60}}',
    '`mcpServers.a.startTimeout`: 60 is 60 milliseconds.',
    '`60s`',
  ],
  [
    'exports: {tools: [{name: a, description: d, prompt: p, parameters: {type: object}, cache: {ttl: 9}}]}',
    '`exports.tools.0.cache.ttl`: 9 is 9 milliseconds.',
    '`9s`',
  ],
])('a duration below a second without a unit is a warning that names the unit: %s', (yaml, message, fix) => {
  const { problems, definition } = parse(`description: d\n${yaml}`)
  expect(problems).toMatchObject([{ severity: 'warning', code: 'duration_unit', message, line: 3 }])
  expect(problems[0]?.fix).toContain(fix)
  expect(definition).toBeDefined()
})

it.each([
  'limits: {timeout: 30s}',
  'limits: {timeout: 500ms}',
  'limits: {timeout: 0.5s}',
  'limits: {timeout: 1000}',
  'limits: {timeout: 0}',
  'limits: {maxTurns: 3}',
  'child_timeout_sec: 0.5',
  'limits: {child_timeout_sec: 0.5}',
  'mcpServers: {a: {command: x, env: {TIMEOUT: "30"}}}',
  'input: {schema: {type: object, properties: {timeout: {default: 30}}}}',
])('a duration with a unit, or of a second or more, is not a warning: %s', (yaml) => {
  expect(parse(`description: d\n${yaml}`).problems).toEqual([])
})
