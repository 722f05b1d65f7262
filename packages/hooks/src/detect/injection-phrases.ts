import type { DetectPattern } from './find-patterns.ts'

/** Kinds of attacks on the instructions of a model that can be found. */
export const INJECTION_KINDS = ['override', 'leak', 'role', 'indirect', 'tools', 'hidden'] as const
/** See {@link INJECTION_KINDS}. */
export type InjectionKind = (typeof INJECTION_KINDS)[number]

/** Length of the longest phrase. */
export const LONGEST_PHRASE = 320

/** Up to `most` words, each with the space after it. */
function words(most: number): string {
  return String.raw`(?:[^ .!?:;]+ ){0,${most}}`
}

const RULES = String.raw`(?:instructions?|rules|prompts?|guidelines?|guidance|directives?|polic(?:y|ies)|constraints?|safety settings|programming|(?:content )?filters?|criteria)`
const OWN = String.raw`(?:all|any|every|your|my|previous|prior|above|earlier|preceding|existing|former|system|initial|original|safety|developer|hidden)`
const RULE_NEEDLES = [
  'instruction',
  'rule',
  'prompt',
  'guid',
  'directive',
  'polic',
  'constraint',
  'setting',
  'programming',
  'filter',
  'criteria',
]

const IGNORE_NEEDLES = [
  'ignore',
  'disregard',
  'forget',
  'overr',
  'bypass',
  'cancel',
  'erase',
  'neglect',
  'skip',
  'drop',
  'discard',
  'follow',
  'obey',
]

const OVERRIDE: readonly DetectPattern[] = [
  {
    kind: 'override',
    pattern: String.raw`\b(?:ignores?|disregards?|forget|overrides?|overrule|bypass|cancel|erase|neglect|skip|drop|discard|(?:stop|no longer|do not|don't|never) (?:follow(?:ing)?|obey(?:ing)?))\b,? ${words(4)}${OWN} ${words(3)}${RULES}\b`,
    needles: RULE_NEEDLES,
    near: IGNORE_NEEDLES,
  },
  {
    kind: 'override',
    pattern: String.raw`\b(?:ignore|disregard|forget|override|erase|(?:stop|no longer|do not|don't) (?:follow(?:ing)?|obey(?:ing)?))\b the ${RULES} (?:you (?:were|have|had|got)|from your|that you|in your)\b`,
    needles: RULE_NEEDLES,
    near: IGNORE_NEEDLES,
  },
  {
    kind: 'override',
    pattern: String.raw`\b(?:ignore|disregard|forget)\b (?:everything|all|anything) (?:that )?(?:you|above|before|was|i (?:said|have)|we)\b`,
    needles: ['ignore', 'disregard', 'forget'],
  },
  {
    kind: 'override',
    pattern: String.raw`\b(?:ignore|disregard|forget) (?:the|everything) above\b`,
    needles: [' above'],
  },
  {
    kind: 'override',
    pattern: String.raw`\b${RULES} ${words(4)}(?:no longer appl(?:y|ies)|do(?:es)? not (?:apply|count)|(?:is|are|was|were) (?:now )?(?:cancell?ed|void|outdated|suspended|lifted|replaced|obsolete|a test))\b`,
    needles: RULE_NEEDLES,
    near: [
      'no longer',
      'not appl',
      'not count',
      'cancel',
      'void',
      'outdated',
      'suspended',
      'lifted',
      'replaced',
      'obsolete',
      'a test',
    ],
  },
  {
    kind: 'override',
    pattern: String.raw`<\|(?:im_start|im_end|system|start_header_id)\|>|\[/?inst\]|<</?sys>>|</?system>|\[system\]|#{2,} ?(?:new )?system\b|\bsystem ?: ?(?:you|the assistant|ignore|override)\b`,
    needles: ['<|', '[inst', '[/inst', '<<', '<system', '</system', '[system', '##', 'system'],
  },
  {
    kind: 'override',
    pattern: String.raw`\bnew (?:system )?(?:instructions?|rules|directives?) ?:|\b(?:new|real|actual) (?:instructions?|task) (?:for|to) (?:the )?(?:assistant|model|ai|agent)\b|\byour task has changed\b`,
    needles: ['instruction', 'rules', 'directive', 'task'],
  },
  {
    kind: 'override',
    pattern: String.raw`\b(?:ignoriere?|vergiss|vergesse|missachte|umgehe) ${words(4)}(?:anweisung(?:en)?|regeln|instruktionen|vorgaben)\b|\b(?:ignora|olvida|desobedece|ignore|oublie[z]?|ignorez|dimentica|esqueca) ${words(4)}(?:instrucciones|instructions|reglas|consignes|regles|istruzioni|regole|instrucoes|regras)\b`,
    needles: [
      'anweisung',
      'regel',
      'instru',
      'vorgaben',
      'regl',
      'consigne',
      'istruzioni',
      'regole',
      'regras',
    ],
    near: [
      'ignor',
      'vergiss',
      'vergesse',
      'missachte',
      'umgehe',
      'olvida',
      'oubli',
      'dimentica',
      'desobedece',
      'esqueca',
    ],
  },
]

const SECRET_TEXT = String.raw`(?:system[ -]?(?:prompt|message|instructions?)|(?:hidden|secret|confidential|initial|original|internal|exact|remaining) ${words(2)}(?:prompt|instructions?|directives|rules|guidelines)|(?:configuration|developer|secret|hidden) (?:prompt|message)|your ${words(2)}(?:prompt|instructions|guidelines|rules|directives))`

const LEAK: readonly DetectPattern[] = [
  {
    kind: 'leak',
    pattern: String.raw`\b(?:repeat|print|output|show|reveal|display|dump|leak|paste|disclose|translate|summari[sz]e|encode|spell out|list|tell|give|write|send|share|expose|recite|quote|provide)\b ${words(7)}${SECRET_TEXT}\b`,
    needles: ['prompt', 'message', 'instruction', 'directive', 'rules', 'guideline'],
  },
  {
    kind: 'leak',
    pattern: String.raw`\bwhat (?:is|are|was|were) your ${words(3)}(?:instructions|prompt|rules|guidelines)\b|\bmy system prompt says\b|\b(?:words|part|half) of (?:your|the hidden|the system) ${words(2)}(?:instructions|prompt)\b`,
    needles: ['instruction', 'prompt', 'rules', 'guideline'],
  },
  {
    kind: 'leak',
    pattern: String.raw`\b(?:repeat|print|output|show|copy|paste) ${words(2)}(?:everything|all|the text|the words|the lines?) ${words(2)}(?:above|before) (?:this|the) (?:line|message|text|point|sentence)\b`,
    needles: ['above', 'before'],
  },
  {
    kind: 'leak',
    pattern: String.raw`\b(?:gib|zeige?|nenne|verrate|drucke|wiederhole) ${words(4)}(?:system-?prompt|(?:geheime|interne|ursprungliche|alle|deine)[a-z]? anweisungen)\b|\b(?:muestra|revela|imprime|dime|repite|affiche|montre|revele|donne|repete|mostra|rivela) ${words(4)}(?:prompt (?:de |del |di )?(?:sistema|systeme)|instrucciones|instructions)\b`,
    needles: ['prompt', 'anweisungen', 'instru'],
  },
  {
    kind: 'leak',
    pattern: String.raw`\byour (?:secret|hidden|confidential|internal|initial|system) (?:rules|instructions|prompt|guidelines|directives)\b|\byour prompt\b[^.!?]{0,60}\b(?:paste|verbatim|word for word)\b`,
    needles: ['rules', 'instructions', 'prompt', 'guidelines', 'directives'],
  },
]

const FREE = String.raw`(?:(?:without|with no|no|has no|have no|had no|free of|free from|broken free of) ${words(3)}(?:restrictions?|filters?|censorship|limitations?|limits|rules|guidelines|ethical constraints|content polic(?:y|ies)|safety)|unrestricted|uncensored|unfiltered|unlimited|jailbroken|jailbreak)`

const ROLE: readonly DetectPattern[] = [
  {
    kind: 'role',
    pattern: String.raw`\b(?:you are|you're|act|pretend|role-?play|imagine|simulate|respond|answer|stay in character|be|become|enter|hypothetically|if you had)\b ${words(16)}${FREE}\b`,
    needles: [
      'restrict',
      'filter',
      'censor',
      'limit',
      'rules',
      'guideline',
      'constraint',
      'polic',
      'safety',
      'jailbr',
    ],
  },
  {
    kind: 'role',
    pattern: String.raw`\b(?:do anything now|evilbot|freegpt|jailbreak mode|you are (?:now )?dan\b|(?:in|enter|enable|activate) (?:god|developer|dan|admin|debug|maintenance|unrestricted) mode)`,
    needles: ['do anything now', 'evilbot', 'freegpt', ' mode', ' dan'],
  },
  {
    kind: 'role',
    pattern: String.raw`\b(?:du bist|verhalte dich|antworte) ${words(6)}(?:ohne (?:regeln|filter|einschrankung(?:en)?)|uneingeschrankte?[a-z]?)\b|\b(?:actua|eres|responde|tu es|agis|reponds|sei|agisci) ${words(6)}(?:sin (?:filtros|restricciones|reglas)|sans (?:aucune? )?(?:restrictions?|filtres?|regles?)|senza (?:regole|filtri|restrizioni))\b`,
    needles: ['ohne ', 'uneingeschrank', 'sin ', 'sans ', 'senza '],
  },
]

const MODEL = String.raw`(?:ai|a\.i\.|ki|ia|llms?|language model|assistant|ai assistant|bots?|automated agents?|ai agents?|llm agents?|summari[sz]ers?)`

const INDIRECT: readonly DetectPattern[] = [
  {
    kind: 'indirect',
    pattern: String.raw`\b(?:(?:note|notice|message|instructions?|attention|reminder|p\.?s\.?)[ ,]{1,2}(?:to|for) (?:the |any |all )?${MODEL}|(?:hinweis|nachricht|anweisung) an die ki|message (?:a|pour) l'assistant|to the assistant:|attention,? ${MODEL})\b`,
    needles: [
      'note',
      'notice',
      'message',
      'instruction',
      'attention',
      'reminder',
      'ps ',
      'p.s',
      'ps:',
      'hinweis',
      'nachricht',
      'anweisung',
      'to the assistant',
    ],
    near: ['ai', 'ki', 'ia', 'llm', 'model', 'assistant', 'bot', 'agent', 'summari'],
  },
  {
    kind: 'indirect',
    pattern: String.raw`\b(?:if|when|as) you are an? ${MODEL}\b|\b${MODEL} (?:reading|processing|summari[sz]ing) this\b`,
    needles: ['you are a', 'reading this', 'processing this', 'zing this', 'sing this'],
  },
  {
    kind: 'indirect',
    pattern: String.raw`\b(?:do not|don't|never|without|must not) (?:mention|tell|telling|inform|informing|notify|notifying|report|reveal|show) ${words(4)}(?:the|your|their) (?:users?|operators?|owner|humans?|person)\b|\bhide it from the (?:user|operator)\b`,
    needles: ['user', 'operator', 'owner', 'human', 'person'],
  },
  {
    kind: 'indirect',
    pattern: String.raw`\bassistant,? (?:the user|you|must|override|now|ignore|send|forward)\b|\bthe assistant must (?:now )?(?:send|forward|call|delete|print|comply|obey|ignore)\b`,
    needles: ['assistant'],
  },
]

const TOOLS: readonly DetectPattern[] = [
  {
    kind: 'tools',
    pattern: String.raw`\b(?:skip|bypass|disable|avoid|circumvent) ${words(3)}(?:approvals?|confirmations?|audit|permissions?|authori[sz]ation|safety check|policy check)\b|\b(?:do not|don't|without) ask(?:ing)? ${words(3)}for (?:confirmation|approval|permission)\b`,
    needles: ['approval', 'confirmation', 'audit', 'permission', 'authori', 'check'],
  },
  {
    kind: 'tools',
    pattern: String.raw`\brm -[rf]{1,2} /|\b(?:curl|wget)\b [^|]{1,200}\| ?(?:ba|z)?sh\b|/etc/(?:passwd|shadow)\b|~/\.ssh/|\bid_rsa\b`,
    needles: ['rm -', 'curl', 'wget', '/etc/', '.ssh/', 'id_rsa'],
  },
  {
    kind: 'tools',
    pattern: String.raw`\b(?:send|post|forward|upload|email|mail|include|write) ${words(6)}(?:conversation|contacts|credentials|api keys?|environment variables|secrets?|passwords?|context|memory) ${words(4)}(?:to|in|into) `,
    needles: [
      'conversation',
      'contacts',
      'credential',
      'api key',
      'variables',
      'secret',
      'password',
      'context',
      'memory',
    ],
  },
  {
    kind: 'tools',
    pattern: String.raw`\b(?:fetch|dump|list|read|collect|email|mail|send|post)\b ${words(4)}(?:environment variables|every secret|all (?:the )?secrets|credentials)\b|\bcontents? of your (?:context|memory|conversation|system prompt)\b`,
    needles: ['variables', 'secret', 'credentials', 'context', 'memory', 'conversation', 'prompt'],
  },
]

/** Phrases of attacks in folded text. Hidden text is found by other means. */
export const INJECTION_PHRASES: Readonly<Record<Exclude<InjectionKind, 'hidden'>, readonly DetectPattern[]>> =
  {
    override: OVERRIDE,
    leak: LEAK,
    role: ROLE,
    indirect: INDIRECT,
    tools: TOOLS,
  }

/** Phrases in text of which all spaces were removed, for letters that are written one by one. */
export const SQUASHED_PHRASES: readonly DetectPattern[] = [
  {
    kind: 'hidden',
    pattern: String.raw`(?:ignore|disregard|forget|override)(?:all|any|the|your|my|every){0,3}(?:previous|prior|above|earlier|system)?(?:instructions?|rules|prompts?|guidelines)|(?:reveal|print|show)(?:me|the|your){0,2}(?:system|hidden|secret)(?:prompt|instructions)`,
    needles: ['instruction', 'rules', 'prompt', 'guidelines'],
  },
]
