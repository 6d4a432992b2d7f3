import { SaxesParser, type SaxesTagNS } from 'saxes';

/** An element of a part of a Word document. Its name has the usual prefix of its namespace, such as `w:p`. */
export type Element = {
  name: string;
  /** The prefix that it has in the XML. */
  prefix: string;
  attributes: SaxesTagNS['attributes'];
  isSelfClosing: boolean;
  start: number;
  contentStart: number;
  /** Where the closing tag begins and ends: zero until then. */
  contentEnd: number;
  end: number;
  /** True if text was read in it. */
  hasText?: boolean;
};

/** Reads one concern of a part. Receives each element and text, and the elements that are open around it. */
export type ElementReader = {
  open?: (element: Element) => void;
  read?: (text: string, element: Element, open: readonly Element[]) => void;
  close?: (element: Element, open: readonly Element[]) => void;
};

const namespaces: Record<string, string> = {
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main': 'w',
  'http://purl.oclc.org/ooxml/wordprocessingml/main': 'w',
  'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm',
  'http://purl.oclc.org/ooxml/officeDocument/math': 'm',
  'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
  'urn:schemas-microsoft-com:vml': 'v',
  'urn:schemas-microsoft-com:office:office': 'o',
  'http://schemas.openxmlformats.org/drawingml/2006/main': 'a',
  'http://schemas.openxmlformats.org/drawingml/2006/chart': 'c',
  'http://schemas.openxmlformats.org/drawingml/2006/diagram': 'dgm',
};

/** The parser looks for the namespace of an element in all elements around it. */
const maxDepth = 1000;

/** Walks through a part. Throws an error if the XML is not well-formed or nests too deep. */
export const readElements = (xml: string, readers: ElementReader[]) => {
  const open: Element[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, prefix, local, attributes, isSelfClosing }) => {
    const contentStart = parser.position;
    // No attribute contains this character.
    const start = xml.lastIndexOf('<', contentStart - 1);
    const name = `${namespaces[uri] ?? ''}:${local}`;
    const element = { name, prefix, attributes, isSelfClosing, start, contentStart, contentEnd: 0, end: 0 };
    if (open.push(element) > maxDepth) throw new Error('The elements nest too deep.');
    for (const reader of readers) reader.open?.(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element) for (const reader of readers) reader.read?.(text, element, open);
  });
  parser.on('closetag', () => {
    const element = open.pop() as Element;
    element.end = parser.position;
    element.contentEnd = xml.lastIndexOf('<', element.end - 1);
    for (const reader of readers) reader.close?.(element, open);
  });
  parser.write(xml).close();
};

/** Returns an attribute by its name without a prefix. */
export const readAttribute = ({ attributes }: Element, name: string) =>
  Object.values(attributes).find(({ local }) => local === name)?.value ?? '';

/** Replacements of pieces of XML. */
export class XmlEdits {
  readonly #edits: { start: number; end: number; text: string }[] = [];

  replace(start: number, end: number, text = '') {
    this.#edits.push({ start, end, text });
  }

  insert(at: number, text: string) {
    this.replace(at, at, text);
  }

  /** Renames an element; its prefix and its attributes stay. */
  rename({ name, prefix, isSelfClosing, start, contentEnd }: Element, local: string) {
    const length = name.length - name.indexOf(':') - 1;
    for (const tag of isSelfClosing ? [start + 1] : [start + 1, contentEnd + 2]) {
      const from = tag + (prefix ? prefix.length + 1 : 0);
      this.replace(from, from + length, local);
    }
  }

  /** Returns the XML with all edits. An edit within a larger one is dropped. */
  apply(xml: string): string {
    const parts: string[] = [];
    let at = 0;
    for (const { start, end, text } of this.#edits.sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (start < at) continue;
      parts.push(xml.slice(at, start), text);
      at = end;
    }
    return parts.join('') + xml.slice(at);
  }
}

export const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

export const writeParagraph = (text: string) => `<w:p ${w}>${writeRun(text)}</w:p>`;

export const writeRun = (text: string) => `<w:r ${w}>${writeText(text)}</w:r>`;

export const writeText = (text: string) => `<w:t ${w} xml:space="preserve">${escapeXml(text)}</w:t>`;

export const escapeXml = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
