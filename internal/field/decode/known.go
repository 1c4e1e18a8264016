package decode

import "slices"

// Known are all signatures, by ecosystem.
func Known() []Signature {
	return slices.Concat(goSignatures, javaSignatures, nettySignatures, nodeSignatures, pythonSignatures,
		rustSignatures,
		curlSignatures, otherSignatures, serverSignatures, unrelatedSignatures)
}
