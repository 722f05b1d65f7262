import { join } from 'node:path'
import { systemClock } from '@troupe/core'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore, openSqliteStore } from '@troupe/store'
import { tempProject } from '@troupe/testkit/internal'
import { executorContract, type DeployedTeam, type Deployment } from '@troupe/testkit/contracts'
import { describe } from 'vitest'
import { createHost } from '../src/index.ts'

/** Opens a host that executes runs in this process. */
async function openDeployment(team: DeployedTeam, store: RunStore): Promise<Deployment> {
  const host = await createHost({ ...team, config: false, cwd: import.meta.dirname, store })
  // A run is not executed any longer once its report is returned.
  return { ...host, store, waitUntilIdle: () => Promise.resolve() }
}

describe('the executor in this process with the memory store', () => {
  executorContract((team) => openDeployment(team, createMemoryStore({ clock: systemClock })))
})

describe('the executor in this process with the SQLite store', () => {
  executorContract(async (team) => {
    const project = await tempProject()
    const store = await openSqliteStore({
      path: join(project.path, 'runs.db'),
      clock: systemClock,
      random: Math.random,
      writer: { token: 'this process', pid: process.pid, host: 'here', isAlive: () => true },
    })
    const deployment = await openDeployment(team, store)
    return {
      ...deployment,
      close: async () => {
        await deployment.close()
        await project.remove()
      },
    }
  })
})
