/** RFC 9110, 12.5.3: whether a client accepts an encoding. One of weight 0 is not acceptable. */
export const takesEncoding = (accepted: string | undefined, encoding: string): boolean =>
  (accepted ?? '').split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((weight) => /^q\s*=\s*0(\.0*)?$/.test(weight));
  });
