import { limits } from '../domain/limits.ts';

/** Allows or forbids paths that begin with `pattern`, in which `*` is any text and a `$` at the end is the end. */
type Rule = { allows: boolean; pattern: string };

/**
 * Returns a filter of a site's URLs by its robots.txt (RFC 9309) for a crawler. Time and memory are bounded, whatever the
 * file holds: only the rules for this crawler are kept, at most `limits.robotsRules` of them, and matching is linear.
 */
export const robotsFilter = (text: string, crawler: string): ((url: URL) => boolean) => {
  const rules = selectRules(text, crawler.toLowerCase());
  return ({ href, origin }) => {
    // `search` lacks a question mark at the end.
    const path = unifyEscapes(href.slice(origin.length));
    let decisive: Rule = { allows: true, pattern: '' };
    for (const rule of rules) {
      const difference = rule.pattern.length - decisive.pattern.length;
      // The longest matching rule decides. If two are equally long, the one that allows wins.
      if (difference < 0 || (difference === 0 && !rule.allows)) continue;
      if (matches(rule.pattern, path)) decisive = rule;
    }
    return decisive.allows;
  };
};

/** Longer lines are cut, as other crawlers do. */
const maxLineCharacters = 16_663;

/** Fields with the misspellings that other crawlers accept, too. */
const userAgentField = /^user[- ]?agent$/;
const disallowField = /^(d[ie]s+al+[ao]w|diasllow)$/;

/** Returns the rules of the groups for a crawler or, without such a group, of those for all crawlers. */
const selectRules = (text: string, crawler: string): Rule[] => {
  const groups = new Map<string, Rule[]>();
  /** The rules of the agents that the last lines name. */
  let group = new Set<Rule[]>();
  let isAmongRules = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const { field, value } = parseLine(line.replace(/\*+/g, '*').slice(0, maxLineCharacters));
    if (userAgentField.test(field)) {
      if (isAmongRules) group = new Set();
      isAmongRules = false;
      const agent = /^(\*(?=\s|$)|[a-z_-]+)/i.exec(value)?.[0].toLowerCase() ?? '';
      if (agent !== crawler && agent !== '*') continue;
      // An agent without rules may read everything.
      const rules = groups.get(agent) ?? [];
      groups.set(agent, rules);
      group.add(rules);
    } else if (field === 'allow' || disallowField.test(field)) {
      isAmongRules = true;
      for (const rules of group) addRule(rules, field === 'allow', value);
    } else if (field === 'crawl-delay') isAmongRules = true;
    // Other fields, such as `Sitemap`, are of no group and end none.
  }
  return groups.get(crawler) ?? groups.get('*') ?? [];
};

/** Reads a line: a field and its value with a colon or, as some write it, with a space between them. */
const parseLine = (line: string): { field: string; value: string } => {
  const text = line.replace(/#.*/s, '').trim();
  const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(text) ?? /^(\S+)\s+(\S+)$/.exec(text) ?? [];
  return { field: name.trim().toLowerCase(), value: value.trim() };
};

const addRule = (rules: Rule[], allows: boolean, value: string) => {
  const pattern = encodePattern(value);
  if (pattern && rules.length < limits.robotsRules) rules.push({ allows, pattern });
  // Who allows the index page of a folder also allows the folder.
  const folder = /^(.*\/)index\.html?$/s.exec(pattern)?.[1];
  if (allows && folder && rules.length < limits.robotsRules) rules.push({ allows, pattern: `${folder}$` });
};

/** Returns a pattern as it is compared with paths: percent-encoded, as URLs are. */
const encodePattern = (text: string): string => unifyEscapes(encodeURI(text.toWellFormed()).replaceAll('%25', '%'));

/** Writes a path in one spelling: escapes in capitals, and the tilde, which old software escapes, as itself. */
const unifyEscapes = (path: string) =>
  path.replace(/%[\da-f]{2}/gi, (byte) => byte.toUpperCase()).replaceAll('%7E', '~');

/** Finds the parts between wildcards one after another, each as early as possible, so that nothing is tried twice. */
const matches = (pattern: string, path: string): boolean => {
  const isAnchored = pattern.endsWith('$');
  const [first = '', ...parts] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  const last = isAnchored ? parts.pop() : undefined;
  if (isAnchored && last === undefined) return path === first;
  let position = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return last === undefined || (path.length - last.length >= position && path.endsWith(last));
};
