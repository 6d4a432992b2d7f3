declare module 'html-encoding-sniffer' {
  /** The encoding's name by byte order mark, transport layer, `<meta>`, or default. */
  export default function htmlEncodingSniffer(
    bytes: Uint8Array,
    options?: {
      xml?: boolean;
      transportLayerEncodingLabel?: string | undefined;
      defaultEncoding?: string;
      maxPrescanBytes?: number;
    },
  ): string;
}
