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
    query: words,
    question: words,
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

/** What a tool answered, in words. */
const report = ({ name, result }: { name: string; result: string }): string => {
  const lines = linesOf(parsed(result));
  const heading = headings[name] ?? 'Here is what I found:';
  return lines.length > 0 ? `${heading}\n\n${lines.join('\n')}` : (nothings[name] ?? 'I found nothing.');
};

const headings: Record<string, string> = {
  searchDocumentation: 'This is what the documentation says:',
  draftAgent: 'Here is a draft. Tell me what to change, or ask me to create the agent.',
  checkNumbers: 'This is what I make of the numbers:',
  listAgents: 'These are the agents you may use:',
  listCalls: 'These are the latest calls:',
  listKnowledge: 'This is what the agent knows from:',
  isNumberBlocked: 'I looked the number up:',
  createAgent: 'Done. The agent is there:',
  updateAgent: 'Done. The agent is now:',
  duplicateAgent: 'Done. This is the copy:',
  addWebsite: 'Done. The website is being read:',
  blockNumbers: 'Done:',
};
const nothings: Record<string, string> = {
  searchDocumentation: 'The documentation says nothing about that.',
  listAgents: 'You have no agent yet. Ask me to create one.',
  listCalls: 'There are no calls yet.',
  listKnowledge: 'The agent has no websites and no documents yet.',
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** A result as a short list: the entries of its first list, or its own plain fields. */
const linesOf = (result: unknown): string[] => {
  if (typeof result === 'string') return [result.slice(0, 500)];
  if (Array.isArray(result)) return result.slice(0, 5).map((item) => `- ${labelOf(item)}`);
  if (typeof result !== 'object' || result === null) return [];
  const lists = Object.entries(result).filter(([, value]) => Array.isArray(value) && value.length > 0);
  if (lists.length > 0)
    return lists.flatMap(([name, value]) => (lists.length > 1 ? [`${name}:`, ...linesOf(value)] : linesOf(value)));
  return Object.entries(result)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .slice(0, 8)
    .map(([name, value]) => `- ${name}: ${typeof value === 'object' ? JSON.stringify(value).slice(0, 200) : value}`);
};

const labelOf = (item: unknown): string => {
  if (typeof item !== 'object' || item === null) return String(item);
  const fields = Object.entries(item).filter(([, value]) => typeof value !== 'object' && value !== '');
  const [first, ...rest] = fields.map(([, value]) => String(value).replace(/\s+/g, ' ').slice(0, 240));
  return rest.length > 0 ? `${first} (${rest.slice(0, 2).join(', ')})` : (first ?? JSON.stringify(item).slice(0, 200));
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
