const CHILDREN = 40

/** One agent that asks forty children at once, eight of them at a time; each uses a tool. */
export const FAN_OUT_TEAM: Readonly<Record<string, string>> = {
  'team/lead.md':
    '---\nname: Lead\ndescription: Asks forty.\nmodel: script/script.yaml\ndefault: true\nagents: [Worker]\nlimits: {maxParallel: 8}\n---\nAsk all.\n',
  'team/worker.md':
    '---\nname: Worker\ndescription: Works.\nmodel: script/script.yaml\nfunctionTools: [tools.mjs:look]\n---\nWork.\n',
  'team/tools.mjs': "export const look = ({ at }) => 'saw ' + at\nlook.description = 'Looks.'\n",
  'team/script.yaml': [
    'agents:',
    '  Lead:',
    `    - say: 'I ask forty. 東京'`,
    `      call: [${Array.from({ length: CHILDREN }, (_, index) => `{tool: agent__Worker, args: {text: 'item ${index + 1}'}}`).join(', ')}]`,
    "    - say: 'All have worked.'",
    '  Worker:',
    "    - {call: [{tool: look, args: {at: '{{input}}'}}], delay: 50ms}",
    "    - {say: '{{results.0.text}}', delay: 100ms}",
  ].join('\n'),
}
