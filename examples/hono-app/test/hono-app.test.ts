import path from 'node:path'
import { createHost } from 'troupe'
import { expect, it, onTestFinished } from 'vitest'
import { createApp } from '../app.ts'

it('the route streams the agents, the text and the end of a run, and refuses an empty question', async () => {
  const host = await createHost({ cards: [path.join(import.meta.dirname, '..')], env: {} })
  onTestFinished(() => host.close())
  const app = createApp(host)
  const response = await app.request('/ask', { method: 'POST', body: 'What is old here?' })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const events = (await response.text()).trim().split('\n\n')
  const dataOf = (name: string): readonly string[] =>
    events.flatMap((event) => {
      const [, data] = new RegExp(`^event: ${name}\ndata: (.*)$`, 'u').exec(event) ?? []
      return data === undefined ? [] : [data]
    })
  expect(dataOf('agent')).toEqual(['historian[1]'])
  const text = dataOf('text').map((delta) => JSON.parse(delta) as string)
  expect(text.length).toBeGreaterThan(1)
  expect(text.join('')).toBe('The historian says: The bridge was opened in 1894.')
  expect(JSON.parse(dataOf('end')[0] ?? '')).toMatchObject({ outcome: 'completed', text: text.join('') })
  expect((await app.request('/ask', { method: 'POST', body: ' ' })).status).toBe(400)
  expect((await app.request('/ask', { method: 'POST', body: 'x'.repeat(9000) })).status).toBe(413)
})
