// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAssetRegistry} from "../../contracts/interfaces/IAssetRegistry.sol";

/// @title Eip712
/// @notice What the registry hashes, written out from EIP-712 without the library that the registry uses.
library Eip712 {
    string private constant _ASSET =
        "Asset(address author,bytes32 salt,string name,string data,string fileName,"
        "string fileType,string fileSize,string method,string hash,string uri)";

    /// @notice The id of an asset.
    function assetId(
        address registry,
        address author,
        bytes32 salt,
        IAssetRegistry.AssetDetails memory details
    ) internal view returns (bytes32) {
        return _digest(registry, hashAsset(author, salt, details));
    }

    /// @notice What a signature for a creation is over.
    function creation(
        address registry,
        address author,
        bytes32 salt,
        IAssetRegistry.AssetDetails memory details,
        uint256 deadline
    ) internal view returns (bytes32) {
        bytes32 typeHash = keccak256(abi.encodePacked("CreateAsset(Asset asset,uint256 deadline)", _ASSET));
        return _digest(registry, keccak256(abi.encode(typeHash, hashAsset(author, salt, details), deadline)));
    }

    /// @notice What a signature for a change of links is over.
    function linkChange(
        address registry,
        bool adds,
        bytes32 parent,
        bytes32[] memory children,
        uint256 nonce,
        uint256 deadline
    ) internal view returns (bytes32) {
        bytes32 typeHash =
            adds
                ? keccak256("AddLinks(bytes32 parent,bytes32[] children,uint256 nonce,uint256 deadline)")
                : keccak256("RevokeLinks(bytes32 parent,bytes32[] children,uint256 nonce,uint256 deadline)");
        bytes memory words;
        for (uint256 i = 0; i < children.length; ++i) words = bytes.concat(words, children[i]);
        return _digest(registry, keccak256(abi.encode(typeHash, parent, keccak256(words), nonce, deadline)));
    }

    /// @notice `hashStruct(Asset)`.
    function hashAsset(
        address author,
        bytes32 salt,
        IAssetRegistry.AssetDetails memory details
    ) internal pure returns (bytes32) {
        bytes memory head = abi.encode(keccak256(bytes(_ASSET)), author, salt);
        bytes memory texts = abi.encode(
            keccak256(bytes(details.name)),
            keccak256(bytes(details.data)),
            keccak256(bytes(details.fileName)),
            keccak256(bytes(details.fileType)),
            keccak256(bytes(details.fileSize)),
            keccak256(bytes(details.method)),
            keccak256(bytes(details.hash)),
            keccak256(bytes(details.uri))
        );
        return keccak256(bytes.concat(head, texts));
    }

    function _digest(address registry, bytes32 structHash) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Asset Registry"),
                keccak256("1"),
                block.chainid,
                registry
            )
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, structHash));
    }
}
