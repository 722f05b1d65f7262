import { serve } from '@hono/node-server'
import { createChatHandler } from '@troupe/ai'
import { createHost } from '@troupe/host'
import { Hono } from 'hono'

const host = await createHost({ cards: ['team'], cwd: import.meta.dirname, config: false, env: process.env })
const chat = createChatHandler(host, 'editor')
const app = new Hono().post('/api/chat', ({ req }) => chat(req.raw))
const port = Number(process.env['PORT'] ?? 8787)
serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, (address) => {
  console.log(`http://127.0.0.1:${address.port}/api/chat`)
})
