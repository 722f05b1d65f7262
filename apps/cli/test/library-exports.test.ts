import { expect, it } from 'vitest'
import * as library from '../src/index.ts'
import * as client from '../src/library/client.ts'
import * as hooks from '../src/library/hooks.ts'
import * as server from '../src/library/server.ts'
import * as store from '../src/library/store.ts'
import * as testing from '../src/library/testing.ts'

it('the library troupe and its subpaths export exactly these names', () => {
  const names = Object.fromEntries(
    Object.entries({ library, client, hooks, server, store, testing }).map(([subpath, module]) => [
      subpath,
      Object.keys(module).toSorted(),
    ]),
  )
  expect(names).toMatchInlineSnapshot(`
    {
      "client": [
        "ApiError",
        "createClient",
      ],
      "hooks": [
        "STOCK_HOOKS",
        "TEXT_KINDS",
        "approve",
        "audit",
        "cache",
        "clamp",
        "defineHook",
        "deny",
        "hookReach",
        "rateLimit",
        "redact",
        "replaceMatches",
        "retry",
        "runHookChain",
        "toolResult",
      ],
      "library": [
        "createHost",
        "defineAgent",
        "defineHook",
        "defineTool",
        "messageText",
        "openSession",
        "openStore",
        "resolveModel",
        "runAgent",
        "toolResult",
      ],
      "server": [
        "createServer",
      ],
      "store": [
        "createMemoryStore",
        "openStore",
      ],
      "testing": [
        "collectRun",
        "expectRun",
        "replayRun",
        "scriptedModel",
        "startFakeAnthropic",
        "startFakeAzure",
        "startFakeBedrock",
        "startFakeDeepSeek",
        "startFakeGoogle",
        "startFakeGroq",
        "startFakeMistral",
        "startFakeOllama",
        "startFakeOpenAI",
        "startFakeVertex",
        "startMcpServer",
      ],
    }
  `)
})
