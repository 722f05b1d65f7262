import { serve } from '@hono/node-server'
import { createHost } from 'troupe'
import { createApp } from './app.ts'

const host = await createHost({ cards: [import.meta.dirname] })
const { fetch } = createApp(host)
serve({ fetch, hostname: '127.0.0.1', port: Number(process.env['PORT'] ?? 8787) }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}/ask`)
})
