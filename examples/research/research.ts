import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createHost } from 'troupe'

// a website on this machine, so that the example needs no network
const site = createServer((_request, response) => {
  void readFile(path.join(import.meta.dirname, 'pages/bridge.html')).then((page) =>
    response.setHeader('content-type', 'text/html').end(page),
  )
}).listen(0, '127.0.0.1')
await once(site, 'listening')
const { port } = site.address() as AddressInfo
const host = await createHost({
  cards: [import.meta.dirname],
  // without this, agents cannot read pages of this machine or its network
  config: {
    defaults: { model: 'script/researcher.script.yaml' },
    runtime: { fetch: { allowHttp: true, allowPrivate: true } },
  },
  cwd: import.meta.dirname,
})
try {
  const { output, error } = await host.run('researcher', `http://127.0.0.1:${port}/bridge.html`)
  console.log(output.value ?? error)
} finally {
  await host.close()
  site.close()
}
