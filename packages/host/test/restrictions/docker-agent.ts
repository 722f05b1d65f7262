import { serverKeys, type RestrictedFormat } from './restricted-file.ts'

const docker = (agent: string, file = ''): string => `agents:
  root:
    model: openai/gpt-5
    description: d
    instruction: You help.
${agent
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
${file}
`
const ORDER = 'Deny, then allow, then ask, which is the default for all tools that do not only read.'

/** Teams of docker-agent. */
export const DOCKER_AGENT: RestrictedFormat = {
  format: 'docker-agent',
  files: [
    {
      title: 'commands and files in the rules of the file',
      files: {
        'a.yaml': docker(
          'toolsets: [{type: filesystem}, {type: shell}]',
          'permissions: {allow: ["shell:cmd=git *", "read_*"], ask: ["shell:cmd=git push*"], deny: ["shell:cmd=rm *", "write_file:path=secrets/*"]}',
        ),
      },
      agent: 'root',
      rule: `${ORDER} Patterns are compared with the whole command, without case.`,
      allow: [
        'read src/a.ts',
        'shell: git log',
        'argv: git log',
        'shell: git push',
        'list src',
        'search src/a.ts',
      ],
      ask: ['shell: ls', 'write src/a.ts', 'shell: FOO=1 rm x', "shell: sh -c 'rm x'", 'shell: ls; rm x'],
      deny: ['shell: rm -rf x', 'shell: RM -rf x', 'argv: rm x', 'write secrets/key'],
    },
    {
      title: 'only some tools of a toolset',
      files: {
        'a.yaml': docker(
          'toolsets: [{type: filesystem, tools: [read_file, list_directory]}, {type: shell, tools: [nothing]}]',
        ),
      },
      agent: 'root',
      rule: 'A toolset offers only the tools that it lists by name.',
      allow: ['read src/a.ts', 'list src'],
      deny: ['write src/a.ts', 'edit src/a.ts', 'search src/a.ts', 'shell: ls'],
    },
    {
      title: 'tools that edit or create folders, but write no files',
      files: { 'a.yaml': docker('toolsets: [{type: filesystem, tools: [edit_file, create_directory]}]') },
      agent: 'root',
      rule: `A toolset offers only the tools that it lists by name. ${ORDER}`,
      ask: ['edit src/a.ts'],
      deny: ['write src/a.ts', 'write src/new.ts', 'read src/a.ts', 'shell: ls'],
    },
    {
      title: 'tools that read, and create folders',
      files: { 'a.yaml': docker('toolsets: [{type: filesystem, tools: [read_file, create_directory]}]') },
      agent: 'root',
      rule: 'A toolset offers only the tools that it lists by name.',
      allow: ['read src/a.ts'],
      deny: ['edit src/a.ts', 'write src/a.ts', 'write src/new.ts', 'list src'],
    },
    {
      title: 'a tool for folders that asks nothing',
      files: {
        'a.yaml': docker(
          'toolsets: [{type: filesystem}]',
          'permissions: {allow: [create_directory, edit_file]}',
        ),
      },
      agent: 'root',
      rule: ORDER,
      allow: ['read src/a.ts', 'edit src/a.ts'],
      ask: ['write src/a.ts', 'write src/new.ts'],
      deny: ['shell: ls'],
    },
    {
      title: 'an agent that only reads',
      files: {
        'a.yaml': docker(
          `readonly: true\ntoolsets: [{type: filesystem}, {type: shell}, {type: mcp, name: tracker, ${serverKeys()}}]`,
        ),
      },
      agent: 'root',
      rule: 'A read-only agent has only the tools that say that they read.',
      allow: ['read src/a.ts', 'list src', 'search src/a.ts', 'mcp tracker echo'],
      deny: ['write src/a.ts', 'shell: ls', 'mcp tracker close', 'mcp tracker wipe'],
    },
    {
      title: 'tools of servers',
      files: {
        'a.yaml': docker(
          `toolsets: [{type: mcp, name: tracker, ${serverKeys()}, tools: [list, close, delete, "close_*"]}]\npermissions: {allow: ["mcp:tracker:list"], deny: ["del*"]}`,
        ),
      },
      agent: 'root',
      rule: ORDER,
      allow: ['mcp tracker list'],
      ask: ['mcp tracker close'],
      deny: ['mcp tracker delete', 'mcp tracker close_all', 'mcp tracker wipe', 'mcp tracker echo'],
    },
    {
      title: 'domains that may be fetched',
      files: {
        'a.yaml': docker(
          'toolsets: [{type: fetch, allowed_domains: [example.com], blocked_domains: [old.example.com]}]',
        ),
      },
      agent: 'root',
      rule: `${ORDER} fetch only reaches allowed domains and those below, without the blocked ones. It reads.`,
      allow: ['fetch https://example.com/a', 'fetch https://www.example.com'],
      deny: [
        'fetch https://example.org',
        'fetch https://old.example.com',
        'fetch https://example.com.evil.org',
        'shell: ls',
      ],
    },
    {
      title: 'addresses that may not be fetched, where private ones are allowed',
      files: {
        'a.yaml': docker(
          'toolsets: [{type: fetch, allow_private_ips: true, blocked_domains: [169.254.169.254, 10.0.0.0/8, "fc00::/7", "::1", 198.51.100.0/24, "old.example.com."]}]',
        ),
        'troupe.json': '{"runtime": {"fetch": {"allowHttp": true, "allowPrivate": true}}}',
      },
      agent: 'root',
      rule: 'fetch does not reach hosts that are blocked addresses or in blocked ranges, in any spelling of IPv6. It reads.',
      allow: ['fetch https://192.168.0.1', 'fetch https://198.51.101.1', 'fetch https://10.example.com'],
      deny: [
        'fetch http://169.254.169.254/latest',
        'fetch http://[::ffff:a9fe:a9fe]/latest',
        'fetch https://10.1.2.3',
        'fetch https://[::ffff:10.1.2.3]',
        'fetch https://[fd00::1]',
        'fetch http://[::1]:8080',
        'fetch https://198.51.100.7',
        'fetch https://old.example.com',
        'fetch https://old.example.com.',
      ],
    },
    {
      title: 'addresses that may be fetched',
      files: {
        'a.yaml': docker(
          'toolsets: [{type: fetch, allow_private_ips: true, allowed_domains: [10.0.0.0/8, "::1", .example.com]}]',
        ),
        'troupe.json': '{"runtime": {"fetch": {"allowHttp": true, "allowPrivate": true}}}',
      },
      agent: 'root',
      rule: 'fetch only reaches hosts that are allowed addresses or in allowed ranges. It reads.',
      allow: ['fetch https://10.1.2.3', 'fetch http://[::1]:8080', 'fetch https://a.example.com'],
      deny: [
        'fetch https://11.0.0.1',
        'fetch http://127.0.0.1',
        'fetch http://localhost',
        'fetch https://example.com',
        'fetch https://10.example.org',
      ],
    },
    {
      title: 'folders that file tools may and may not reach',
      files: {
        'a.yaml': docker(
          'toolsets: [{type: filesystem, allow_list: ["./src", "docs/"], deny_list: ["docs/private", "~/.ssh"]}]\npermissions: {allow: ["*"]}',
        ),
      },
      links: { 'src/link': '../secrets' },
      agent: 'root',
      rule: 'File tools reach the folders of allow_list, without those of deny_list, with links resolved.',
      allow: ['read src/a.ts', 'write src/b.ts', 'read docs/guide.md', 'list src'],
      deny: [
        'read secrets/key',
        'read .env',
        'read src/../.env',
        'read src/link/key',
        'write docs/private/a.md',
        'list secrets',
        'search .env',
      ],
    },
    {
      title: 'rules of the file and of the agent together',
      files: {
        'a.yaml': docker(
          'toolsets: [{type: filesystem}, {type: shell}]\npermissions: {allow: ["*"]}',
          'permissions: {deny: [shell], ask: [write_file]}',
        ),
      },
      agent: 'root',
      rule: ORDER,
      allow: ['read src/a.ts', 'edit src/a.ts', 'write src/a.ts'],
      deny: ['shell: ls', 'argv: ls'],
    },
  ],
}
