// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

import {AssetRegistry} from "../../contracts/AssetRegistry.sol";
import {IAssetRegistry} from "../../contracts/interfaces/IAssetRegistry.sol";
import {Eip712} from "./Eip712.sol";
import {vm} from "./Vm.sol";

/// @title AssetRegistryTest
/// @notice What holds for any input.
contract AssetRegistryTest {
    AssetRegistry private _registry;

    function setUp() public {
        _registry = new AssetRegistry();
    }

    function testFuzz_IdIsTheDigestOfContentAndAuthor(
        address author,
        bytes32 salt,
        IAssetRegistry.AssetDetails memory details
    ) public view {
        require(
            _registry.assetId(author, salt, details) ==
                Eip712.assetId(address(_registry), author, salt, details),
            "digest"
        );
    }

    function testFuzz_IdFollowsTheChain(uint64 chain, IAssetRegistry.AssetDetails memory details) public {
        if (chain == block.chainid) return;
        bytes32 before = _registry.assetId(address(this), 0, details);
        vm.chainId(chain);
        bytes32 id = _registry.assetId(address(this), 0, details);
        require(id != before, "same id on two chains");
        require(id == Eip712.assetId(address(_registry), address(this), 0, details), "digest");
    }

    function testFuzz_TextsThatMoveBetweenNeighboursGiveOtherIds(bytes calldata text) public view {
        uint256 length = text.length > 16 ? 16 : text.length;
        for (uint256 left = 0; left < 7; ++left) {
            bytes32[] memory ids = new bytes32[](length + 1);
            for (uint256 cut = 0; cut <= length; ++cut) {
                string[8] memory texts;
                texts[left] = string(text[:cut]);
                texts[left + 1] = string(text[cut:length]);
                ids[cut] = _registry.assetId(address(this), 0, _details(texts));
                for (uint256 other = 0; other < cut; ++other) {
                    require(ids[other] != ids[cut], "two splits share an id");
                }
            }
        }
    }

    function testFuzz_CreationIsKeptForItsCallerOnly(
        address author,
        bytes32 salt,
        IAssetRegistry.AssetDetails memory details,
        uint40 time
    ) public {
        if (author == address(0) || time == 0 || bytes(details.name).length == 0) return;
        vm.warp(time);
        vm.prank(author);
        bytes32 id = _registry.createAsset(salt, details);

        require(id == _registry.assetId(author, salt, details), "id");
        require(_registry.assetOf(id).author == author, "author");
        require(_registry.assetOf(id).createdOn == time, "createdOn");
        vm.expectRevert(abi.encodeWithSelector(IAssetRegistry.AssetExists.selector, id));
        vm.prank(author);
        _registry.createAsset(salt, details);
    }

    function testFuzz_TextsAreBoundedInBytes(uint8 seed, uint8 length) public {
        uint256 place = seed % 8;
        uint256 maximum =
            place == 1
                ? 262_144
                : place == 7
                    ? 8_192
                    : 1_024;
        uint256 size = maximum - 128 + length;
        string[8] memory texts;
        texts[0] = "Document";
        texts[place] = new string(size);
        IAssetRegistry.AssetText text = IAssetRegistry.AssetText(place);

        if (size > maximum) {
            vm.expectRevert(
                abi.encodeWithSelector(IAssetRegistry.AssetTextTooLong.selector, text, size, maximum)
            );
        }
        _registry.createAsset(0, _details(texts));
    }

    function testFuzz_OnlyTheAuthorChangesOutgoingLinks(address author, address caller) public {
        if (author == address(0) || caller == address(0) || author == caller) return;
        bytes32 parent = _create(author);
        bytes32[] memory children = new bytes32[](1);
        children[0] = _create(caller);
        bytes memory refusal = abi.encodeWithSelector(
            IAssetRegistry.NotAuthor.selector,
            parent,
            author,
            caller
        );

        vm.expectRevert(refusal);
        vm.prank(caller);
        _registry.link(parent, children);

        vm.prank(author);
        _registry.link(parent, children);

        vm.expectRevert(refusal);
        vm.prank(caller);
        _registry.revokeLinks(parent, children);
        require(_registry.linkOf(parent, children[0]).revokedOn == 0, "revoked by somebody else");
    }

    function testFuzz_SignedCreationIsTheAuthorsOwn(
        uint256 key,
        address relayer,
        bytes32 salt,
        IAssetRegistry.AssetDetails memory details,
        uint256 deadline
    ) public {
        key = _validKey(key);
        if (deadline < block.timestamp || relayer == address(0) || bytes(details.name).length == 0) return;
        address author = vm.addr(key);
        bytes32 digest = Eip712.creation(address(_registry), author, salt, details, deadline);
        bytes memory signature = _sign(key, digest);

        vm.prank(relayer);
        bytes32 id = _registry.createAssetFor(author, salt, details, deadline, signature);

        require(id == _registry.assetId(author, salt, details), "id");
        require(_registry.assetOf(id).author == author, "author");
        vm.expectRevert(abi.encodeWithSelector(IAssetRegistry.AssetExists.selector, id));
        _registry.createAssetFor(author, salt, details, deadline, signature);
    }

    function testFuzz_NothingButTheAuthorsSignatureCreates(
        address author,
        uint256 key,
        bytes memory signature,
        IAssetRegistry.AssetDetails memory details
    ) public {
        key = _validKey(key);
        if (author == vm.addr(key)) return;
        bytes32 digest = Eip712.creation(address(_registry), author, 0, details, block.timestamp);
        bytes memory refusal = abi.encodeWithSelector(
            IAssetRegistry.SignatureInvalid.selector,
            author,
            digest
        );

        vm.expectRevert(refusal);
        _registry.createAssetFor(author, 0, details, block.timestamp, signature);
        signature = _sign(key, digest);
        vm.expectRevert(refusal);
        _registry.createAssetFor(author, 0, details, block.timestamp, signature);
    }

    function testFuzz_SignedLinksAreTheAuthorsOwnAndUsedOnce(
        uint256 key,
        uint8 count,
        uint192 nonceKey,
        uint256 deadline
    ) public {
        key = _validKey(key);
        if (deadline < block.timestamp) return;
        address author = vm.addr(key);
        bytes32 parent = _create(author);
        bytes32[] memory children = _createMany(1 + (count % 4));
        uint256 nonce = uint256(nonceKey) << 64;
        bytes32 digest = Eip712.linkChange(address(_registry), true, parent, children, nonce, deadline);
        bytes memory signature = _sign(key, digest);

        _registry.linkFor(parent, children, nonce, deadline, signature);
        for (uint256 i = 0; i < children.length; ++i) require(_stands(parent, children[i]), "not added");

        vm.expectRevert(abi.encodeWithSelector(Nonces.InvalidAccountNonce.selector, author, nonce + 1));
        _registry.linkFor(parent, children, nonce, deadline, signature);

        digest = Eip712.linkChange(address(_registry), false, parent, children, nonce + 1, deadline);
        signature = _sign(key, digest);
        _registry.revokeLinksFor(parent, children, nonce + 1, deadline, signature);
        for (uint256 i = 0; i < children.length; ++i) require(!_stands(parent, children[i]), "not revoked");
        require(_registry.nonces(author, nonceKey) == nonce + 2, "nonce");
    }

    function testFuzz_ManyTargetsInOneCallEqualManyCalls(uint8 count, bool batched) public {
        (bytes32 parent, bytes32 other) = (_create(address(this)), _create(address(1)));
        bytes32[] memory children = _createMany(1 + (count % 16));
        bytes[] memory calls = new bytes[](children.length);
        bytes32[] memory one = new bytes32[](1);

        _registry.link(parent, children);
        vm.prank(address(1));
        _registry.link(other, children);
        for (uint256 i = 0; i < children.length; ++i) {
            one[0] = children[i];
            calls[i] = abi.encodeCall(IAssetRegistry.revokeLinks, (other, one));
        }
        _registry.revokeLinks(parent, children);
        if (batched) {
            vm.prank(address(1));
            _registry.multicall(calls);
        }
        for (uint256 i = 0; !batched && i < calls.length; ++i) {
            vm.prank(address(1));
            (bool done, ) = address(_registry).call(calls[i]);
            require(done, "refused");
        }
        for (uint256 i = 0; i < children.length; ++i) {
            IAssetRegistry.LinkRecord memory together = _registry.linkOf(parent, children[i]);
            IAssetRegistry.LinkRecord memory singly = _registry.linkOf(other, children[i]);
            require(together.addedOn == singly.addedOn && together.revokedOn == singly.revokedOn, "differ");
        }
    }

    function _create(address author) private returns (bytes32) {
        IAssetRegistry.AssetDetails memory details;
        details.name = "Document";
        vm.prank(author);
        return _registry.createAsset(0, details);
    }

    function _details(string[8] memory t) private pure returns (IAssetRegistry.AssetDetails memory) {
        return IAssetRegistry.AssetDetails(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]);
    }

    function _createMany(uint256 count) private returns (bytes32[] memory ids) {
        ids = new bytes32[](count);
        IAssetRegistry.AssetDetails memory details;
        details.name = "Child";
        for (uint256 i = 0; i < count; ++i) ids[i] = _registry.createAsset(bytes32(i), details);
    }

    function _stands(bytes32 parent, bytes32 child) private view returns (bool) {
        IAssetRegistry.LinkRecord memory record = _registry.linkOf(parent, child);
        return record.addedOn != 0 && record.revokedOn == 0;
    }

    // Keys are the numbers from one to the order of the curve.
    function _validKey(uint256 seed) private pure returns (uint256) {
        return 1 + (seed % (0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141 - 1));
    }

    function _sign(uint256 key, bytes32 digest) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }
}
