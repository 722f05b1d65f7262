import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { queueAddress } from '../src/tasks/run-queues.ts'
import { newDatabase } from './support/cluster.ts'

describe.skipIf(!HAS_POSTGRES)(`the address of the queues${POSTGRES_NOTE}`, () => {
  it.each([
    { options: '', idle: '1min', statement: '0' },
    { options: '?options=-c%20statement_timeout%3D5000', idle: '1min', statement: '5s' },
    { options: '?options=-c%20idle_in_transaction_session_timeout%3D7000', idle: '7s', statement: '0' },
  ])(
    'a connection to the queues limits idle transactions and keeps the options of the address "$options"',
    async ({ options, idle, statement }) => {
      const client = new Client(queueAddress(`${await newDatabase()}${options}`))
      await client.connect()
      const setting = async (name: string): Promise<unknown> =>
        Object.values((await client.query<Record<string, string>>(`SHOW ${name}`)).rows[0] ?? {})[0]
      expect(await setting('idle_in_transaction_session_timeout')).toBe(idle)
      expect(await setting('statement_timeout')).toBe(statement)
      await client.end()
    },
  )
})
