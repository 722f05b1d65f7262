import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { leakCheck } from '../src/internal.ts'

describe('leakCheck', () => {
  it('leakCheck passes when everything was closed', async () => {
    const check = leakCheck()
    const child = spawn(process.execPath, ['-e', ''])
    await once(child, 'close')
    await expect(check.assertClean()).resolves.toBeUndefined()
  })

  it('leakCheck names a child process that is still running', async () => {
    const check = leakCheck()
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'])
    await expect(check.assertClean({ maxWaitMs: 20 })).rejects.toThrow(/ProcessWrap/u)
    child.kill()
    await once(child, 'close')
    await check.assertClean()
  })

  it('leakCheck names a server that is still listening', async () => {
    const check = leakCheck()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    await expect(check.assertClean({ maxWaitMs: 20 })).rejects.toThrow(/TCPServerWrap/u)
    server.close()
    await check.assertClean()
  })
})
