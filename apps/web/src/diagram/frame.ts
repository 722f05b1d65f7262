/**
 * Draws diagrams in the frame `diagram.html`. Mermaid writes style elements and style attributes, which the policy of
 * the page forbids, and it parses text of models. So it runs in a sandboxed frame without an origin, which cannot
 * read the page and cannot send requests.
 */
import mermaid from 'mermaid'
import { MAX_DIAGRAM, type DiagramReply, type DiagramRequest } from './messages.ts'

const MAX_EDGES = 300
const MAX_MESSAGE = 500
const MARGIN = 8

function reply(message: DiagramReply): void {
  window.parent.postMessage(message, '*')
}

async function draw({ text, isDark }: DiagramRequest): Promise<DiagramReply> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    maxTextSize: MAX_DIAGRAM,
    maxEdges: MAX_EDGES,
    layout: 'dagre',
    theme: isDark ? 'dark' : 'neutral',
    fontFamily: 'ui-sans-serif, system-ui, sans-serif',
  })
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light'
  document.body.style.margin = `${MARGIN}px`
  try {
    const { svg } = await mermaid.render('diagram', text)
    document.body.innerHTML = svg
    const box = document.querySelector('svg')?.viewBox.baseVal
    return { kind: 'drawn', width: (box?.width ?? 0) + 2 * MARGIN, height: (box?.height ?? 0) + 2 * MARGIN }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', message: message.slice(0, MAX_MESSAGE) }
  }
}

window.addEventListener('message', ({ source, data }: MessageEvent<DiagramRequest>) => {
  if (source === window.parent) void draw(data).then(reply)
})
reply({ kind: 'ready' })
