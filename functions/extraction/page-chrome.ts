import type { Element, ElementContent, Nodes, Parents, Properties } from 'hast';
import { EXIT, SKIP, visit } from 'unist-util-visit';
import { blockTags, toVisibleText } from './html-text.ts';

/** Elements that hold no text of the page, or text that is not part of its content, such as the readings of characters. */
const nonContentTags = new Set(
  'script style noscript noframes noembed template nav svg canvas iframe frame frameset object embed applet audio video map head link meta title base input select textarea datalist progress meter rt rp'.split(
    ' ',
  ),
);
const nonContentRoles = /^(navigation|menubar|search|alertdialog|toolbar|progressbar)$/i;
/** Roles of elements that are not content unless they hold more than labels. */
const labelListRoles = /^(menu|tablist)$/i;
const hiddenStyle = /display\s*:\s*none|visibility\s*:\s*hidden/i;
const consentNames = /(^|[\s_-])(cookie|consent|gdpr)[\w-]*(banner|bar|notice|popup|modal|dialog|overlay)([\s_-]|$)/i;
/** Names of elements that a script shows in front of the page. */
const dialogNames = /(^|\s)modal(\s|$)/i;
/** Names of navigation. An element with such a name is removed if most of it is links, so that a restaurant's menu stays. */
const navigationNames =
  /(^|[\s_-])(nav|navbar|navigation|menu|breadcrumbs?|pagination|pager|sitemap|toc|skip-?(link|nav)|social|share)([\s_-]|$)/i;
const surroundingTags = new Set(['header', 'footer', 'aside']);
/** Elements whose buttons are content: their text is a title. */
const headingTags = new Set('h1 h2 h3 h4 h5 h6 summary dt legend'.split(' '));
const maxLabelCharacters = 40;
const questionMark = /[?？؟]\s*$/;
const moreThanLabel =
  /[.?!。？！؟]$|\d[.,]\d\d(?!\d)|\d\s*[€$£¥₹₽₺元円원]|[€$£¥₹]\s*\d|\d\s*(EUR|USD|GBP|CHF|Kč|zł|kr)\b|.{60}/s;
/** A phone number, as buttons to call it have. */
const phoneNumber = /\d(?:[\s()/.–-]*\d){5}/;
const listTags = new Set(['ul', 'ol', 'menu', 'dl']);
/** Names of elements that a script shows and hides, and whose text is content. */
const panelNames = /(^|[\s_-])(accordions?|collapse|collapsible|faqs?|answers?|tab-?(pane|panel|content))([\s_-]|$)/i;

/** Removes navigation, hidden elements and everything else that is not content from a page. */
export const removePageChrome = (body: Nodes): void => {
  if ('children' in body)
    prune(body, { isLinked: false, isSurrounding: false, isHeading: false, panels: findPanels(body) });
};

type Size = { text: number; linked: number };
/** The element before another one. Whether it is a title is found once: its text can be long. */
type Former = { element: Element; isTitle?: boolean };
type Place = { isLinked: boolean; isSurrounding: boolean; isHeading: boolean; panels: Set<string> };

/** Removes what is not content from an element. Returns its number of characters, and the number of those in links. */
const prune = (element: Parents, place: Place): Size => {
  const size = { text: 0, linked: 0 };
  const kept: ElementContent[] = [];
  let before: Former | undefined;
  for (const child of element.children as ElementContent[]) {
    if (child.type === 'comment' || (child.type === 'element' && isNonContent(child, place, before))) continue;
    const childSize =
      child.type === 'element' ? prune(child, enterElement(child, place)) : sizeOfText(child.value, place.isLinked);
    size.text += childSize.text;
    size.linked += childSize.linked;
    if (child.type === 'element' && isNavigation(child, childSize, place.isSurrounding)) continue;
    // A button outside a heading stands on a line of its own.
    if (child.type === 'element' && child.tagName === 'button' && !place.isHeading) child.tagName = 'p';
    const blank = readBlank(child);
    if (blank === undefined) kept.push(child);
    else addText(kept, blank);
    if (child.type === 'element' && blank === undefined) before = { element: child };
  }
  element.children = kept;
  return size;
};

/** Elements without a child that show something, or have a place in a table. */
const contentTags = new Set('br hr img wbr td th'.split(' '));

/**
 * Returns the white space of an element that has nothing else, or of a text. Libraries look behind each of them for the next
 * element with content.
 */
const readBlank = (node: ElementContent): string | undefined => {
  if (node.type === 'text') return /\S/.test(node.value) ? undefined : node.value;
  if (node.type !== 'element' || blockTags.has(node.tagName) || contentTags.has(node.tagName)) return undefined;
  const blanks = node.children.map((child) => (child.type === 'text' ? readBlank(child) : undefined));
  return blanks.includes(undefined) ? undefined : blanks.join('');
};

/** Adds a text to the one before it. */
const addText = (kept: ElementContent[], value: string) => {
  const last = kept.at(-1);
  if (last?.type === 'text') last.value += value;
  else if (value) kept.push({ type: 'text', value });
};

const enterElement = ({ tagName, properties }: Element, place: Place): Place => ({
  isLinked: place.isLinked || tagName === 'a',
  isSurrounding: place.isSurrounding || surroundingTags.has(tagName),
  isHeading: place.isHeading || headingTags.has(tagName) || properties.role === 'heading',
  panels: place.panels,
});

const sizeOfText = (value: string, isLinked: boolean): Size => {
  const text = value.replace(/\s+/g, '').length;
  return { text, linked: isLinked ? text : 0 };
};

const isNavigation = (element: Element, { text, linked }: Size, isSurrounding: boolean): boolean =>
  element.tagName !== 'a' &&
  linked > 0 &&
  linked >= text * 0.7 &&
  (navigationNames.test(classAndId(element)) || (isSurrounding && listTags.has(element.tagName)));

const isNonContent = (element: Element, place: Place, before: Former | undefined): boolean => {
  const { tagName, properties } = element;
  if (tagName === 'button') return !isTextButton(element, place);
  const role = String(properties.role ?? '');
  return (
    nonContentTags.has(tagName.toLowerCase()) ||
    (isClosed(element) && !isClosedPanel(element, place, before)) ||
    nonContentRoles.test(role) ||
    (labelListRoles.test(role) && holdsLabels(element)) ||
    consentNames.test(classAndId(element))
  );
};

const isClosed = (element: Element): boolean => {
  const { tagName, properties } = element;
  if (tagName === 'dialog') return properties.open === undefined;
  return /^dialog$/i.test(String(properties.role ?? '')) || isHidden(element);
};

const isHidden = ({ properties: { hidden, ariaHidden, style, role } }: Element): boolean =>
  !/^tabpanel$/i.test(String(role ?? '')) &&
  ((hidden !== undefined && !/^until-found$/i.test(String(hidden))) ||
    ariaHidden === 'true' ||
    hiddenStyle.test(String(style ?? '')));

/** Returns true for a hidden element that a visitor opens: one with a trigger, with the name of a panel, or behind its title. */
const isClosedPanel = (element: Element, { panels, isSurrounding }: Place, before: Former | undefined): boolean =>
  (panels.has(String(element.properties.id)) ||
    (!isSurrounding && (panelNames.test(classAndId(element)) || hasTitle(before)))) &&
  !(isDialog(element) && asksVisitors(element));

const hasTitle = (before: Former | undefined): boolean => {
  if (before === undefined) return false;
  before.isTitle ??= isTitle(before.element);
  return before.isTitle;
};

const isDialog = (element: Element): boolean =>
  element.tagName === 'dialog' ||
  /^dialog$/i.test(String(element.properties.role ?? '')) ||
  dialogNames.test(classAndId(element));

/** Returns true for a dialog about cookies, and for one with a form, unless the form only closes it. */
const asksVisitors = (dialog: Element): boolean => {
  let asks = /cookie|consent|gdpr/i.test(classAndId(dialog));
  visit(dialog, 'element', ({ tagName, properties }) => {
    if (tagName === 'form' && !/^dialog$/i.test(String(properties.method ?? ''))) asks = true;
    return asks ? EXIT : undefined;
  });
  return asks;
};

const isTitle = (element: Element) =>
  headingTags.has(element.tagName) ||
  element.properties.role === 'heading' ||
  questionMark.test(toVisibleText(element));

/** Returns true for a button with a phone number, and for one that says what a panel of the page is about. */
const isTextButton = (button: Element, { isHeading, isSurrounding, panels }: Place): boolean => {
  const text = toVisibleText(button);
  if (isHeading || questionMark.test(text) || phoneNumber.test(text)) return true;
  return !isSurrounding && (isTrigger(button, panels) || text.length > maxLabelCharacters);
};

const isTrigger = ({ properties }: Element, panels: Set<string>): boolean =>
  listPanelIds(properties).some((id) => panels.has(id)) &&
  properties.ariaHasPopup === undefined &&
  !opensDialog(properties);

/** Returns the ids of elements that an accordion, a disclosure or a button for a dialog opens. */
const findPanels = (page: Nodes): Set<string> => {
  const panels = new Set<string>();
  visit(page, 'element', ({ tagName, properties }) => {
    if (tagName === 'nav' || surroundingTags.has(tagName)) return SKIP;
    const opens =
      properties.ariaExpanded !== undefined ||
      /^collapse$/i.test(String(properties.dataBsToggle ?? properties.dataToggle));
    if (opensDialog(properties) || (opens && properties.ariaHasPopup === undefined))
      for (const id of listPanelIds(properties)) panels.add(id);
  });
  return panels;
};

const opensDialog = ({ dataBsToggle, dataToggle, command }: Properties): boolean =>
  /^modal$/i.test(String(dataBsToggle ?? dataToggle)) || /^show-modal$/i.test(String(command));

const listPanelIds = ({ ariaControls, commandFor, dataBsTarget, dataTarget, href }: Properties): string[] => [
  ...(commandFor === undefined ? [] : [String(commandFor)]),
  ...(Array.isArray(ariaControls) ? ariaControls.map(String) : []),
  ...[dataBsTarget, dataTarget, href].map((value) => /^#(.+)$/.exec(String(value))?.[1] ?? '').filter(Boolean),
];

/** Returns true if an element of a menu or a list of tabs holds only short labels: no panel, question, sentence or price. */
const holdsLabels = (list: Element): boolean => {
  let isList = true;
  visit(list, (node) => {
    if (node.type === 'element' && /^tabpanel$/i.test(String(node.properties.role ?? ''))) isList = false;
    if (node.type === 'text' && moreThanLabel.test(node.value.trim())) isList = false;
    return isList ? undefined : EXIT;
  });
  return isList;
};

const classAndId = ({ properties }: Element) => {
  const { className, id } = properties;
  return `${Array.isArray(className) ? className.join(' ') : ''} ${id ?? ''}`;
};
