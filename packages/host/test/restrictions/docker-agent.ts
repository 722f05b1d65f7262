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
