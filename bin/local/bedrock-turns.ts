/** A request to ConverseStream, as far as the stand-in reads it. */
export type ConverseRequest = {
  messages: { role: 'user' | 'assistant'; content: Block[] }[];
  toolConfig?: { tools?: { toolSpec?: Tool }[] };
};
type Block = {
  text?: string;
  toolUse?: { toolUseId: string; name: string; input: unknown };
  toolResult?: { toolUseId: string; content: { text?: string; json?: unknown }[]; status?: string };
};
type Tool = { name: string; inputSchema: { json: { properties?: Record<string, unknown>; required?: string[] } } };

/** What the stand-in says next: text, calls of tools, or both. */
export type Turn = { text?: string; calls?: { name: string; input: object }[] };

/** What the user asked last, and what has been done about it since. */
type Request = { text: string; done: { name: string; result: string }[] };

/** The user's last words, with the tools called and what they answered since. */
export const requestOf = ({ messages }: ConverseRequest): Request => {
  const names = new Map<string, string>();
  let request: Request = { text: '', done: [] };
  for (const { role, content } of messages) {
    for (const { text, toolUse, toolResult } of content) {
      if (toolUse) names.set(toolUse.toolUseId, toolUse.name);
      if (toolResult) {
        const result = toolResult.content.map(({ text, json }) => text ?? JSON.stringify(json)).join('\n');
        request.done.push({ name: names.get(toolResult.toolUseId) ?? '', result });
      }
      if (text !== undefined && role === 'user') request = { text, done: [] };
    }
  }
  return request;
};

/**
 * A way to answer: the first whose words fit what the user said and whose tools are offered. `steps` are called one
 * after the other; those that need an agent are preceded by a look at the user's agents when none is named.
 */
type Way = { when: RegExp; steps: string[]; needs?: 'number'; before?: string };

const ways: Way[] = [
  {
    when: /^\W*(how|why|where|what (does|is|are|do|can)|which (operation|endpoint|field|error))\b(?!.*\b(blocked|my)\b)/i,
    steps: ['searchDocumentation'],
    before: 'Let me look that up.',
  },
  { when: /\b(is|are|was)\b.*\bblocked\b|\bblocked\?/i, steps: ['isNumberBlocked'], needs: 'number' },
  { when: /\bblock\b/i, steps: ['blockNumbers'], needs: 'number', before: 'I can block that. It takes your approval.' },
  { when: /https?:\/\//i, steps: ['addWebsite'], before: 'I can add that website. It takes your approval.' },
  {
    when: /\b(duplicate|copy|clone)\b/i,
    steps: ['duplicateAgent'],
    before: 'I can copy the agent. It takes your approval.',
  },
  { when: /\b(rename|update|change)\b/i, steps: ['updateAgent'], before: 'I can change that. It takes your approval.' },
  {
    when: /\b(create|make|add|set up)\b.*\b(agent|it|one)\b/i,
    steps: ['createAgent'],
    before: 'I can create this agent. It takes your approval.',
  },
  {
    when: /\b(create|make|draft|build|design|suggest|set up|new)\b|receptionist|configuration/i,
    steps: ['draftAgent'],
    before: 'Let me draft that.',
  },
  {
    when: /\b(websites?|documents?|knowledge|sources?)\b.*\?|\b(list|show)\b.*\b(websites?|documents?|knowledge|sources?)\b/i,
    steps: ['listKnowledge'],
  },
  { when: /\b(my|recent|latest|last|list|show)\b.*\bcalls?\b/i, steps: ['listCalls'] },
  { when: /\b(my|list|show|which|what)\b.*\bagents?\b/i, steps: ['listAgents'], before: 'Let me look at your agents.' },
  { when: /\d/, steps: ['checkNumbers'], needs: 'number', before: 'Let me check that.' },
  { when: /^\W*(hi|hello|hey|good (morning|day|evening)|thanks|thank you)\b/i, steps: [] },
  { when: /./s, steps: ['searchDocumentation'], before: 'Let me look that up.' },
];

const ofAgents = new Set([
  'isNumberBlocked',
  'blockNumbers',
  'addWebsite',
  'duplicateAgent',
  'updateAgent',
  'listKnowledge',
  'listCalls',
  'getAgent',
]);

/** What to say or do next. The same conversation always gets the same answer. */
export const nextTurn = (conversation: ConverseRequest): Turn => {
  const request = requestOf(conversation);
  const tools = new Map(
    (conversation.toolConfig?.tools ?? []).flatMap(({ toolSpec }) => (toolSpec ? [[toolSpec.name, toolSpec]] : [])),
  );
  const facts = factsOf(request.text, JSON.stringify(conversation.messages));
  const words = request.text.replace(/\[stand-in: \w+\]/g, '').trim();
  const fitting = ways.filter(({ when, needs }) => when.test(words) && (!needs || facts[needs] !== ''));
  const way = fitting.find(({ steps }) => steps.every((name) => tools.has(name)));
  if (!way) return { text: welcome([...tools.keys()]) };
  const last = request.done.at(-1);
  if (last && isFailure(last.result)) return { text: apology(last.result) };
  const done = request.done.map(({ name }) => name);
  const step = way.steps
    .flatMap((name) => (ofAgents.has(name) && !facts.agentId && tools.has('listAgents') ? ['listAgents', name] : name))
    .find((name) => !done.includes(name) && !(ofAgents.has(name) && !facts.agentId && done.includes('listAgents')));
  const tool = step === undefined ? undefined : tools.get(step);
  if (tool) {
    const text = last ? undefined : way.before;
    return { ...(text && { text }), calls: [{ name: tool.name, input: inputOf(tool, facts) }] };
  }
  const missed = fitting[0] !== way && fitting[0]?.steps.some((name) => !tools.has(name));
  const more = missed ? '\n\nWith your API key I could do that for you: enter it above.' : '';
  return { text: (last ? report(last) : welcome([...tools.keys()])) + more };
};

/** What can be read out of the user's words, under every name a tool's input may have for it. */
type Facts = ReturnType<typeof factsOf>;

const factsOf = (words: string, conversation: string) => {
  const numbers = (words.match(/\+?\(?\d[\d\s().-]{5,}\d/g) ?? []).map((number) => number.trim());
  const name =
    /\b(?:called|named|name|to)\s+["“‘']?([^"”’'.,;:!?\n]{1,60})/i.exec(words)?.[1]?.trim() ??
    /["“]([^"”]{1,60})["”]/.exec(words)?.[1] ??
    capitalised(/\bfor (?:an?|the|my|our) ([\w -]{2,40})/i.exec(words)?.[1]) ??
    'Front desk';
  const url = /https?:\/\/[^\s"'<>)]+/.exec(words)?.[0]?.replace(/[.,;]$/, '') ?? '';
  const agentId =
    (/\bagent_[0-9A-HJKMNP-TV-Z]{26}\b/.exec(words) ?? /\bagent_[0-9A-HJKMNP-TV-Z]{26}\b/.exec(conversation))?.[0] ??
    '';
  const configuration = {
    greeting: `Hello, this is ${name}. How can I help you?`,
    instructions: `You answer the phone for ${name}. Be brief and friendly. Ask for the caller’s name and what they need.`,
    language: 'en-US',
  };
  const number = numbers[0] ?? '';
  const description = words;
  return {
    query: words.replace(/\bblock\b/gi, 'add to the block list').slice(0, 300),
    description,
    purpose: words,
    name,
    numbers,
    number,
    phone: number,
    phoneNumber: number,
    url,
    agentId,
    configuration,
    ...configuration,
  };
};

const capitalised = (text: string | undefined) => text && text.charAt(0).toUpperCase() + text.slice(1).trimEnd();

/** The fields of a tool's input that the words tell; of an optional one only where they do. */
const inputOf = ({ name, inputSchema }: Tool, facts: Facts) => {
  const { properties = {}, required = [] } = inputSchema.json;
  const optional = { createAgent: ['configuration'], duplicateAgent: ['name'], updateAgent: ['name'] }[name] ?? [];
  const wanted = Object.keys(properties).filter((field) => required.includes(field) || optional.includes(field));
  return Object.fromEntries(wanted.flatMap((field) => (field in facts ? [[field, facts[field as keyof Facts]]] : [])));
};

const isFailure = (result: string) =>
  /nothing was done|\bdenied\b|^error|^\{"error"|not valid|did not approve/i.test(result.slice(0, 400));

const apology = (result: string) =>
  /nothing was done|denied|approve/i.test(result)
    ? 'All right, I have changed nothing.'
    : `That did not work: ${result.slice(0, 300)}`;

/** What a tool answered, in words: in the words for that tool, or as a list of what there is in it. */
const report = ({ name, result }: { name: string; result: string }): string => {
  const value = parsed(result);
  const [heading, lines] = (isRecord(value) && reports[name]?.(value)) || ['This is what came of it:', linesOf(value)];
  return lines.length > 0 ? `${heading}\n\n${lines.map((line) => `- ${line}`).join('\n')}` : heading;
};

// biome-ignore lint/suspicious/noExplicitAny: whatever a tool answers
type Value = Record<string, any>;
type Report = (value: Value) => [heading: string, lines: string[]];

const agent = ({ name, agentId }: Value) => `**${name}** (\`${agentId}\`)`;
const configured = ({ configuration = {} }: Value) =>
  Object.entries(configuration).map(
    ([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
const counted = (items: unknown[], one: string) => `${items.length} ${items.length === 1 ? one : `${one}s`}`;

const reports: Record<string, Report> = {
  searchDocumentation: ({ topics = [] }) => {
    const [best, ...others] = topics as Value[];
    if (!best) return ['The documentation says nothing about that.', []];
    const more = others.length > 0 ? '\n\nIt also has:' : '';
    return [
      `This is what the documentation says.\n\n**${best.title}**\n\n${best.text}${more}`,
      others.map(({ title }) => title),
    ];
  },
  draftAgent: ({ agent, problems = [], advice = [] }) => [
    `Here is a draft of **${agent?.name}**. Tell me what to change; with your API key I can create it.`,
    [
      ...configured(agent ?? {}),
      ...problems.map(({ path, message }: Value) => `To be mended: \`${path}\` ${message}`),
      ...advice.map(({ path, message }: Value) => `To be considered: \`${path}\` ${message}`),
    ],
  ],
  checkNumbers: ({ numbers = [] }) => [
    'This is what I make of the numbers:',
    numbers.map(({ given, valid, number, problem }: Value) =>
      valid ? `${given} is \`${number}\`.` : `${given} cannot be used. ${problem}`,
    ),
  ],
  listAgents: ({ agents = [] }) =>
    agents.length === 0
      ? ['You have no agent yet. Ask me to create one.', []]
      : [`You may use ${counted(agents, 'agent')}:`, agents.map(agent)],
  getAgent: (found) => [`This is ${agent(found)}:`, configured(found)],
  createAgent: (made) => [`Done. ${agent(made)} is there.`, []],
  updateAgent: (changed) => [`Done. It is now ${agent(changed)}.`, []],
  duplicateAgent: (copy) => [`Done. The copy is ${agent(copy)}.`, []],
  addWebsite: ({ websiteId }) => [`Done. The website \`${websiteId}\` is being read now.`, []],
  listKnowledge: ({ websites = [], documents = [] }) => {
    const sources = [...websites, ...documents].map(
      ({ name, url, type, status }: Value) => `**${name}** (${url ?? type}): ${status}`,
    );
    return sources.length === 0
      ? ['The agent has no websites and no documents yet.', []]
      : [`The agent knows from ${counted(sources, 'source')}:`, sources];
  },
  isNumberBlocked: ({ number, blocked }) => [`\`${number}\` is ${blocked ? 'blocked' : 'not blocked'}.`, []],
  blockNumbers: ({ added = [], failed = [] }) => [
    `Done. I blocked ${counted(added, 'number')}.`,
    failed.map(({ number, reason }: Value) => `${number}: ${reason}`),
  ],
  listCalls: ({ calls = [] }) =>
    calls.length === 0
      ? ['There are no calls yet.', []]
      : [
          'These are the latest calls:',
          calls
            .slice(0, 10)
            .map((call: Value) => `${call.startedAt}: ${call.direction}, ${call.phone}, ${call.status ?? 'no status'}`),
        ],
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const isRecord = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries of a result's first list, or its own plain fields. */
const linesOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.slice(0, 5).map(labelOf);
  if (!isRecord(value)) return [String(value).slice(0, 500)];
  const list = Object.values(value).find((field) => Array.isArray(field) && field.length > 0);
  if (list) return linesOf(list);
  return Object.entries(value)
    .filter(([, field]) => !Array.isArray(field))
    .map(([name, field]) => `${name}: ${typeof field === 'object' ? JSON.stringify(field).slice(0, 200) : field}`);
};

const labelOf = (item: unknown): string => {
  if (!isRecord(item)) return String(item).slice(0, 300);
  const [first = '', ...rest] = Object.values(item).flatMap((field) =>
    typeof field === 'string' && field !== '' ? field.replace(/\s+/g, ' ').slice(0, 300) : [],
  );
  return rest.length > 0 ? `**${first}** ${rest.slice(0, 2).join(' · ')}` : first;
};

const welcome = (tools: string[]): string =>
  [
    'Hello! I am a stand-in for the assistant: what I say is canned, what my tools do is real. I can',
    '',
    '- look things up in the documentation: “How do I block a number?”',
    '- draft an agent: “Draft a receptionist for a dentist”',
    '- check phone numbers: “Check +1 (415) 555-0100”',
    ...(tools.includes('listAgents')
      ? [
          '- look at your agents and calls: “Show my agents”',
          '- create and change things, once you approve: “Create an agent called Reception”',
        ]
      : ['', 'With your API key I can also look at your agents and, once you approve, create and change them.']),
  ].join('\n');
