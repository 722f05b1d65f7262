import { createChatHandler } from '@troupe/ai'
import { createHost } from '@troupe/host'

const host = await createHost({ cards: ['team'], cwd: process.cwd(), config: false, env: process.env })

/** Answers the requests of `useChat` in a Next app. */
export const POST = createChatHandler(host, 'editor')
