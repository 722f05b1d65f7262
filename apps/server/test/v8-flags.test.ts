import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { SERVER_V8_FLAGS } from '../src/index.ts'

it('the flags of a server are flags that V8 knows', () => {
  const { status, stderr } = spawnSync(process.execPath, [...SERVER_V8_FLAGS, '--eval', ''])
  expect([status, stderr.toString()]).toEqual([0, ''])
})
