import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const BOOKS = [
  { title: 'The Kitchen Garden', shelf: 'G' },
  { title: 'The Walled Garden', shelf: 'R' },
  { title: 'Gardens of the Night', shelf: 'N' },
]

/** Creates an MCP server for a catalogue. The card allows `find_books`, but not `remove_book`. */
function createCatalogue(): McpServer {
  const server = new McpServer({ name: 'catalogue', version: '1.0.0' })
  server.registerTool(
    'find_books',
    {
      description: 'Books with a word in their title.',
      inputSchema: z.object({ word: z.string(), limit: z.int().min(1).default(10) }),
      annotations: { readOnlyHint: true },
    },
    ({ word, limit }) => {
      const found = BOOKS.filter(({ title }) => title.toLowerCase().includes(word.toLowerCase()))
      const lines = found.slice(0, limit).map(({ title, shelf }) => `${title} (${shelf})`)
      return { content: [{ type: 'text', text: lines.join('; ') }] }
    },
  )
  server.registerTool(
    'remove_book',
    { description: 'Removes a book.', inputSchema: z.object({ title: z.string() }) },
    () => ({ content: [{ type: 'text', text: 'removed' }] }),
  )
  return server
}

serveStdio(createCatalogue)
